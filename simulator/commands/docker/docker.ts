import { installedProgram } from '../../world/files/installed-program.ts';
import { activeState } from '../../world/systemd/services.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok } from '../shell/command.ts';
import { inspect, ps, remove, run, setRunning } from './containers.ts';
import { images, load, pull, removeImage, save, tag } from './images.ts';
import { login, logout, push } from './registry-client.ts';
import type { Verb } from './verb.ts';

const SOCKET = 'unix:///var/run/docker.sock';

function daemonProblem({ node, isRoot }: CommandContext): string | undefined {
  if (!isRoot)
    return `permission denied while trying to connect to the Docker daemon socket at ${SOCKET}: dial unix /var/run/docker.sock: connect: permission denied`;
  if (activeState(node, 'docker') === 'active') return undefined;
  return `Cannot connect to the Docker daemon at ${SOCKET}. Is the docker daemon running?`;
}

const info: Verb = (_, { node }) =>
  ok(
    `Client:\n Version:    ${installedProgram(node, 'docker')?.version ?? ''}\n\nServer:\n Containers: ${Object.keys(node.state.containers).length}\n Images: ${Object.keys(node.state.dockerImages ?? {}).length}\n Storage Driver: overlay2\n Cgroup Driver: systemd\n`,
  );

const VERBS: Readonly<Record<string, Verb>> = {
  pull,
  push,
  login,
  logout,
  load,
  save,
  tag,
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

const SECONDS: Readonly<Record<string, number>> = { pull: 5, push: 3, load: 3 };

export const DOCKER: CommandTable = {
  docker: { run: docker, seconds: ([verb = '']) => SECONDS[verb] },
  dockerd: {
    run: () =>
      failure(1, 'failed to start daemon: pid file found, ensure docker is not running or delete /var/run/docker.pid'),
  },
};
