import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { activeState } from '../systemd/services.ts';
import { addImages } from './runtime.ts';

const VALUES = new Set(
  '--name --publish -p --volume -v --restart --format -f --filter --env -e --network --entrypoint --workdir -w --input -i'.split(
    ' ',
  ),
);

async function docker(args: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  const { containers } = node.state;
  const [verb = '', ...rest] = args;
  const parsed = parseArguments(
    rest,
    verb === 'load' || verb === 'run' || verb === 'inspect' || verb === 'ps' ? VALUES : new Set(['--format']),
  );
  if (verb === '--version') return ok('Docker version 24.0.5, build 24.0.5-0ubuntu1~22.04.1\n');
  if (activeState(node, 'docker') !== 'active') {
    return failure(
      1,
      'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    );
  }
  if (!context.isRoot)
    return failure(
      1,
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    );
  switch (verb) {
    case 'pull':
      await context.sleep(10);
      addImages(node, parsed.operands);
      return ok(`${parsed.operands[0] ?? ''}\n`);
    case 'run':
      return run(parsed.operands, parsed.value('--name') ?? 'container', context);
    case 'inspect': {
      const container = containers[parsed.operands[0] ?? ''];
      if (!container) return failure(1, `Error: No such object: ${parsed.operands[0] ?? ''}`, '\n');
      return ok(parsed.value('--format', '-f') === undefined ? '[]\n' : `${container.running}\n`);
    }
    case 'rm': {
      const [name = ''] = parsed.operands;
      if (!containers[name]) return failure(1, `Error response from daemon: No such container: ${name}`);
      delete containers[name];
      node.changed();
      return ok(`${name}\n`);
    }
    case 'ps':
      return ok(
        `CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n${Object.entries(containers)
          .map(
            ([name, { image }]) =>
              `0123456789ab   ${image}   "/entrypoint.sh"   1 minute ago   Up 1 minute   ${name}\n`,
          )
          .join('')}`,
      );
    case 'images':
      return ok(
        `REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\n${node.state.images.map((image) => `${image}\n`).join('')}`,
      );
    default:
      return ok();
  }
}

function run([image = '']: readonly string[], name: string, { node }: CommandContext): Output {
  const { containers } = node.state;
  if (containers[name])
    return failure(
      125,
      `docker: Error response from daemon: Conflict. The container name "/${name}" is already in use by container "0123456789ab". You have to remove (or rename) that container to be able to reuse that name.`,
    );
  containers[name] = { image, running: true, options: {} };
  addImages(node, [image]);
  return ok('0123456789ab0123456789ab0123456789ab0123456789ab0123456789ab0123\n');
}

export const DOCKER: CommandTable = {
  docker: { run: docker },
  dockerd: { run: () => failure(1, 'dockerd: start it with systemctl') },
};
