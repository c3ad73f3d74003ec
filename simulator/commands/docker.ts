import { createHash, randomBytes } from 'node:crypto';
import { installedProgram } from '../world/files/installed-program.ts';
import { type ImageProblem, imageProblem, normalImage } from '../world/internet/registries.ts';
import { activeState } from '../world/systemd/services.ts';
import type { SimNode } from '../world/world.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const SOCKET = 'unix:///var/run/docker.sock';

type Verb = (args: readonly string[], context: CommandContext) => Output | Promise<Output>;

function daemonProblem({ node, isRoot }: CommandContext): string | undefined {
  if (!isRoot)
    return `permission denied while trying to connect to the Docker daemon socket at ${SOCKET}: dial unix /var/run/docker.sock: connect: permission denied`;
  if (activeState(node, 'docker') === 'active') return undefined;
  return `Cannot connect to the Docker daemon at ${SOCKET}. Is the docker daemon running?`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function daemonError(problem: ImageProblem): string {
  return `Error response from daemon: ${problem.reason}`;
}

const pull: Verb = (args, { node }) => {
  const parsed = parseArguments(args, new Set(['--platform']));
  const [image = ''] = parsed.operands;
  const problem = imageProblem(node, image, 'docker');
  if (problem) return failure(1, daemonError(problem));
  addImage(node, image);
  const name = normalImage(image);
  if (parsed.has('-q', '--quiet')) return ok(`${name}\n`);
  return ok(`Digest: sha256:${digest(name)}\nStatus: Downloaded newer image for ${image}\n${name}\n`);
};

function addImage(node: SimNode, image: string): void {
  const name = normalImage(image);
  if (!node.state.images.includes(name)) node.state.images.push(name);
  node.changed();
}

const RUN_VALUES = new Set(
  '--name --restart -p --publish -v --volume -e --env --env-file --network --net -u --user -w --workdir --entrypoint --hostname -h -m --memory --cpus -l --label --mount --add-host --pull --log-driver --log-opt --platform --ulimit --cap-add'.split(
    ' ',
  ),
);

/** Finds the index at which the options of `docker run` end and the image begins. */
function imageAt(args: readonly string[]): number {
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (!argument.startsWith('-')) return index;
    if (RUN_VALUES.has(argument) || (RUN_VALUES.has(`-${argument.at(-1)}`) && /^-[a-z]+$/i.test(argument))) index += 1;
  }
  return args.length;
}

const run: Verb = async (args, context) => {
  const { node } = context;
  const at = imageAt(args);
  const options = parseArguments(args.slice(0, at), RUN_VALUES);
  const image = args[at];
  if (image === undefined) return failure(1, '"docker run" requires at least 1 argument.\nSee \'docker run --help\'.');
  const name = options.value('--name') ?? `container_${randomBytes(4).toString('hex')}`;
  const { containers } = node.state;
  const id = digest(`${node.id} ${name} ${node.nextPid}`);
  if (containers[name]) {
    return failure(
      125,
      `docker: Error response from daemon: Conflict. The container name "/${name}" is already in use by container "${containers[name].options['id'] ?? ''}". You have to remove (or rename) that container to be able to reuse that name.\nSee 'docker run --help'.`,
    );
  }
  if (!node.state.images.includes(normalImage(image))) {
    const problem = imageProblem(node, image, 'docker');
    if (problem)
      return failure(
        125,
        `Unable to find image '${image}' locally\ndocker: ${daemonError(problem)}\nSee 'docker run --help'.`,
      );
    addImage(node, image);
  }
  const published = [...(options.all.get('-p') ?? []), ...(options.all.get('--publish') ?? [])];
  const taken = published.map(hostPort).find((port) => portsInUse(node).has(port));
  if (taken !== undefined) {
    return failure(
      125,
      `docker: Error response from daemon: driver failed programming external connectivity on endpoint ${name}: Bind for 0.0.0.0:${taken} failed: port is already allocated.`,
    );
  }
  if (options.has('--rm') && !options.has('-d', '--detach')) return ok();
  containers[name] = {
    image: normalImage(image),
    running: true,
    options: {
      id,
      restart: options.value('--restart') ?? 'no',
      publish: published.join(','),
      volumes: [...(options.all.get('-v') ?? []), ...(options.all.get('--volume') ?? [])].join(','),
    },
  };
  node.changed();
  return ok(`${id}\n`);
};

function hostPort(published: string): string {
  return published.split(':').at(-2) ?? '';
}

function portsInUse(node: SimNode): ReadonlySet<string> {
  const running = Object.values(node.state.containers).filter(({ running: runs }) => runs);
  return new Set(running.flatMap(({ options }) => (options['publish'] ?? '').split(',').filter(Boolean).map(hostPort)));
}

function idOf(node: SimNode, name: string): string {
  return node.state.containers[name]?.options['id'] ?? digest(`${node.id} ${name}`);
}

/** Finds a container by its name or the beginning of its id. */
function find(node: SimNode, word: string): string | undefined {
  if (word in node.state.containers) return word;
  return Object.keys(node.state.containers).find((name) => word.length >= 3 && idOf(node, name).startsWith(word));
}

function each(args: readonly string[], node: SimNode, act: (name: string) => string | undefined): Output {
  let stdout = '';
  let stderr = '';
  for (const word of args.filter((argument) => !argument.startsWith('-'))) {
    const name = find(node, word);
    const problem = name === undefined ? `Error response from daemon: No such container: ${word}` : act(name);
    if (problem === undefined) stdout += `${word}\n`;
    else stderr += `${problem}\n`;
  }
  node.changed();
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

const remove: Verb = (args, { node }) => {
  const force = args.some((argument) => argument === '--force' || /^-[a-z]*f/.test(argument));
  const result = each(args, node, (name) => {
    if (node.state.containers[name]?.running && !force) {
      return `Error response from daemon: You cannot remove a running container ${idOf(node, name)}. Stop the container before attempting removal or force remove`;
    }
    delete node.state.containers[name];
    return undefined;
  });
  return force && result.stderr?.includes('No such container') ? { ...result, exitCode: 0 } : result;
};

const setRunning =
  (running: boolean): Verb =>
  (args, { node }) =>
    each(args, node, (name) => {
      const container = node.state.containers[name];
      if (container) container.running = running;
      return undefined;
    });

/** Templates of the form `{{.State.Running}}`; functions are not supported. */
const inspect: Verb = (args, { node }) => {
  const parsed = parseArguments(args, new Set(['-f', '--format', '--type']));
  const format = parsed.value('-f', '--format');
  const found: unknown[] = [];
  for (const word of parsed.operands) {
    const name = find(node, word);
    const container = name === undefined ? undefined : node.state.containers[name];
    if (name === undefined || !container) {
      return failure(1, `Error: No such object: ${word}`, format === undefined ? '[]\n' : '\n');
    }
    found.push({
      Id: idOf(node, name),
      Name: `/${name}`,
      State: { Status: container.running ? 'running' : 'exited', Running: container.running, ExitCode: 0 },
      Config: { Image: container.image },
      HostConfig: { RestartPolicy: { Name: container.options['restart'] ?? 'no' } },
    });
  }
  if (format === undefined) return ok(`${JSON.stringify(found, null, 4)}\n`);
  return ok(
    found
      .map((value) => `${format.replaceAll(/\{\{\s*\.([\w.]+)\s*\}\}/g, (_, path: string) => field(value, path))}\n`)
      .join(''),
  );
};

function field(value: unknown, path: string): string {
  let at = value;
  for (const key of path.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return at === undefined ? '<no value>' : String(at);
}

const ps: Verb = (args, { node }) => {
  const parsed = parseArguments(args, new Set(['-f', '--filter', '--format', '-n', '--last']));
  const wanted = parsed.value('-f', '--filter');
  const shown = Object.entries(node.state.containers).filter(
    ([name, { running }]) =>
      (running || parsed.has('-a', '--all')) &&
      (wanted === undefined || !wanted.startsWith('name=') || new RegExp(wanted.slice(5)).test(name)),
  );
  if (parsed.has('-q', '--quiet')) return ok(shown.map(([name]) => `${idOf(node, name).slice(0, 12)}\n`).join(''));
  const rows = shown.map(
    ([name, { image, running, options }]) =>
      `${idOf(node, name).slice(0, 12)}   ${image}   "/entrypoint.sh"   1 minute ago   ${running ? 'Up 1 minute' : 'Exited (0) 1 minute ago'}   ${options['publish'] ?? ''}   ${name}\n`,
  );
  return ok(`CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n${rows.join('')}`);
};

const images: Verb = (_, { node }) =>
  ok(
    `REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\n${node.state.images.map((image) => `${image.replace(/:([^:/@]+)(@.*)?$/, '   $1')}   ${digest(image).slice(0, 12)}   1 minute ago   25MB\n`).join('')}`,
  );

const removeImage: Verb = (args, { node }) => {
  const names = args.filter((argument) => !argument.startsWith('-')).map(normalImage);
  const missing = names.find((name) => !node.state.images.includes(name));
  if (missing !== undefined) return failure(1, `Error response from daemon: No such image: ${missing}`);
  node.state.images = node.state.images.filter((image) => !names.includes(image));
  node.changed();
  return ok(names.map((name) => `Untagged: ${name}\n`).join(''));
};

const info: Verb = (_, { node }) =>
  ok(
    `Client:\n Version:    ${installedProgram(node, 'docker')?.version ?? ''}\n\nServer:\n Containers: ${Object.keys(node.state.containers).length}\n Images: ${node.state.images.length}\n Storage Driver: overlay2\n Cgroup Driver: systemd\n`,
  );

const VERBS: Readonly<Record<string, Verb>> = {
  pull,
  run,
  rm: remove,
  start: setRunning(true),
  restart: setRunning(true),
  stop: setRunning(false),
  kill: setRunning(false),
  inspect,
  ps,
  images,
  rmi: removeImage,
  info,
  version: info,
  logs: () => ok(),
};

/** Long forms such as `docker container ls`. */
const LONG: Readonly<Record<string, string>> = {
  'container ls': 'ps',
  'container list': 'ps',
  'image ls': 'images',
  'image rm': 'rmi',
};

function docker(args: readonly string[], context: CommandContext): Output | Promise<Output> {
  const [first = '', second = ''] = args;
  if (first === '--version' || first === '-v')
    return ok(
      `Docker version ${installedProgram(context.node, 'docker')?.version ?? ''}, build 24.0.7-0ubuntu2~22.04.1\n`,
    );
  const long = first === 'container' || first === 'image';
  const verb = long ? (LONG[`${first} ${second}`] ?? second) : first;
  const act = VERBS[verb];
  if (!act) return failure(1, `docker: '${first}' is not a docker command.\nSee 'docker --help'`);
  const problem = daemonProblem(context);
  return problem === undefined ? act(args.slice(long ? 2 : 1), context) : failure(1, problem);
}

export const DOCKER: CommandTable = {
  docker: { run: docker, seconds: (args) => (args[0] === 'pull' ? 5 : undefined) },
  dockerd: {
    run: () =>
      failure(1, 'failed to start daemon: pid file found, ensure docker is not running or delete /var/run/docker.pid'),
  },
};
