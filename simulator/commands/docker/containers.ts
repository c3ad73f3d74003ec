import { createHash, randomBytes } from 'node:crypto';
import { listeningPorts } from '../../world/cluster/endpoints.ts';
import { findImage } from '../../world/images/docker-images.ts';
import { configOf } from '../../world/images/image.ts';
import { familiarImage, normalImage } from '../../world/images/image-name.ts';
import { portsOf, publishedPort } from '../../world/images/published-ports.ts';
import type { SimNode } from '../../world/world.ts';
import { failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { describeImage, pullImage } from './images.ts';
import { fillTemplate, type Verb } from './verb.ts';

type Container = SimNode['state']['containers'][string];

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

export const run: Verb = (args, context) => {
  const { node } = context;
  const at = imageAt(args);
  const options = parseArguments(args.slice(0, at), RUN_VALUES);
  const word = args[at];
  if (word === undefined) return failure(1, '"docker run" requires at least 1 argument.\nSee \'docker run --help\'.');
  const name = options.value('--name') ?? `container_${randomBytes(4).toString('hex')}`;
  const { containers } = node.state;
  const refuse = (reason: string) =>
    failure(125, `docker: Error response from daemon: ${reason}.\nSee 'docker run --help'.`);
  if (containers[name]) {
    return refuse(
      `Conflict. The container name "/${name}" is already in use by container "${containers[name].options['id'] ?? ''}". You have to remove (or rename) that container to be able to reuse that name`,
    );
  }
  if (!findImage(node, word)) {
    const problem = pullImage(context, word);
    if (problem !== undefined)
      return failure(125, `Unable to find image '${word}' locally\ndocker: ${problem}\nSee 'docker run --help'.`);
  }
  const image = findImage(node, word);
  const every = (...names: string[]) => names.flatMap((one) => options.all.get(one) ?? []);
  const published = every('-p', '--publish');
  const taken = published.map((text) => publishedPort(text).port).map((port) => takenBy(node, port));
  const problem = taken.find((reason) => reason !== undefined);
  if (problem !== undefined)
    return refuse(`driver failed programming external connectivity on endpoint ${name}: ${problem}`);
  if (options.has('--rm') && !options.has('-d', '--detach')) return ok();
  const id = createHash('sha256')
    .update(`${node.id} ${name} ${node.nextPid++}`)
    .digest('hex');
  containers[name] = {
    image: normalImage(word),
    running: true,
    options: {
      id,
      program: (image && configOf(image).config.Cmd?.[0]) ?? '',
      restart: options.value('--restart') ?? 'no',
      publish: published.join(','),
      volumes: every('-v', '--volume').join(','),
      environment: every('-e', '--env').join('\n'),
      labels: every('-l', '--label').join('\n'),
    },
  };
  node.changed();
  return ok(`${id}\n`);
};

/** Why a port of the machine cannot be published. Undefined when it can. */
function takenBy(node: SimNode, port: number): string | undefined {
  const listener = listeningPorts(node).find((one) => one.port === port);
  if (!listener) return undefined;
  return listener.process === 'docker-proxy'
    ? `Bind for 0.0.0.0:${port} failed: port is already allocated`
    : `failed to bind port 0.0.0.0:${port}/tcp: Error starting userland proxy: listen tcp4 0.0.0.0:${port}: bind: address already in use`;
}

function idOf(node: SimNode, name: string): string {
  return node.state.containers[name]?.options['id'] ?? '';
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

export const remove: Verb = (args, { node }) => {
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

export const setRunning =
  (running: boolean): Verb =>
  (args, { node }) =>
    each(args, node, (name) => {
      const container = node.state.containers[name];
      if (container) container.running = running;
      return undefined;
    });

export const inspect: Verb = (args, { node }) => {
  const parsed = parseArguments(args, new Set(['-f', '--format', '--type']));
  const format = parsed.value('-f', '--format');
  const found: object[] = [];
  for (const word of parsed.operands) {
    const name = find(node, word);
    const container = name === undefined ? undefined : node.state.containers[name];
    const image = findImage(node, word);
    if (name !== undefined && container) found.push(describeContainer(name, container));
    else if (image) found.push(describeImage(node, image));
    else return failure(1, `Error: No such object: ${word}`, format === undefined ? '[]\n' : '\n');
  }
  if (format === undefined) return ok(`${JSON.stringify(found, null, 4)}\n`);
  return ok(found.map((value) => `${fillTemplate(format, value)}\n`).join(''));
};

function describeContainer(name: string, { image, running, options }: Container): object {
  return {
    Id: options['id'],
    Name: `/${name}`,
    State: { Status: running ? 'running' : 'exited', Running: running, ExitCode: 0 },
    Config: { Image: familiarImage(image), Labels: Object.fromEntries(labelsOf({ options })) },
    HostConfig: { RestartPolicy: { Name: options['restart'] ?? 'no' } },
  };
}

function labelsOf({ options }: Pick<Container, 'options'>): readonly (readonly [string, string])[] {
  return (options['labels'] ?? '')
    .split('\n')
    .filter(Boolean)
    .map((text) => [text.replace(/=.*/, ''), text.replace(/^[^=]*=?/, '')]);
}

type Filter = (name: string, container: Container, value: string) => boolean;

const FILTERS: Readonly<Record<string, Filter>> = {
  name: (name, _, value) => new RegExp(value).test(name) || new RegExp(value).test(`/${name}`),
  id: (_, { options }, value) => options['id']?.startsWith(value) === true,
  status: (_, { running }, value) => value === (running ? 'running' : 'exited'),
  label: (_, container, value) =>
    labelsOf(container).some(([key, label]) => value === key || value === `${key}=${label}`),
};

export const ps: Verb = (args, { node }) => {
  const parsed = parseArguments(args, new Set(['-f', '--filter', '--format', '-n', '--last']));
  const filters = [...(parsed.all.get('-f') ?? []), ...(parsed.all.get('--filter') ?? [])].map(
    (text) => /^([^=]*)=(.*)$/.exec(text) ?? [text, text, ''],
  );
  const unknown = filters.find(([, key = '']) => !FILTERS[key]);
  if (unknown) return failure(1, `Error response from daemon: invalid filter '${unknown[1]}'`);
  const shown = Object.entries(node.state.containers).filter(
    ([name, container]) =>
      (container.running || parsed.has('-a', '--all')) &&
      filters.every(([, key = '', value = '']) => FILTERS[key]?.(name, container, value)),
  );
  if (parsed.has('-q', '--quiet')) return ok(shown.map(([name]) => `${idOf(node, name).slice(0, 12)}\n`).join(''));
  const rows = shown.map(([name, { image, running, options }]) => ({
    ID: options['id']?.slice(0, 12) ?? '',
    Image: familiarImage(image),
    Command: '"/entrypoint.sh"',
    CreatedAt: '1 minute ago',
    Status: running ? 'Up 1 minute' : 'Exited (0) 1 minute ago',
    Ports: portsOf({ image, running, options })
      .map(({ address, port, containerPort }) => `${address}:${port}->${containerPort}/tcp`)
      .join(', '),
    Names: name,
  }));
  const format = parsed.value('--format');
  if (format !== undefined) return ok(rows.map((row) => `${fillTemplate(format, row)}\n`).join(''));
  const lines = rows.map((row) => `${Object.values(row).join('   ')}\n`);
  return ok(`CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n${lines.join('')}`);
};
