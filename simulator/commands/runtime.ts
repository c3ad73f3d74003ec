import { containersOf } from '../world/cluster/pods.ts';
import { installedProgram } from '../world/files/installed-program.ts';
import { imageProblem, pullRefusal } from '../world/internet/registries.ts';
import { activeState } from '../world/systemd/services.ts';
import type { SimNode } from '../world/world.ts';
import { etcdContainer, etcdctl } from './etcdctl.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from './shell/command.ts';

const CONFIG = `disabled_plugins = []
imports = []
oom_score = 0
plugin_dir = ""
required_plugins = []
root = "/var/lib/containerd"
state = "/run/containerd"
version = 2

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins]

  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "registry.k8s.io/pause:3.8"

    [plugins."io.containerd.grpc.v1.cri".containerd]
      default_runtime_name = "runc"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes]

        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
          runtime_type = "io.containerd.runc.v2"

          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
            BinaryName = ""
            SystemdCgroup = false

    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = ""
`;

/** The default configuration of containerd 2: version 3 of the file, other names of plugins, other quotes. */
const CONFIG_2 = `version = 3
root = '/var/lib/containerd'
state = '/run/containerd'
disabled_plugins = []
required_plugins = []
oom_score = 0
imports = []

[grpc]
  address = '/run/containerd/containerd.sock'

[plugins]
  [plugins.'io.containerd.cri.v1.images']
    snapshotter = 'overlayfs'

    [plugins.'io.containerd.cri.v1.images'.pinned_images]
      sandbox = 'registry.k8s.io/pause:3.10.1'

    [plugins.'io.containerd.cri.v1.images'.registry]
      config_path = '/etc/containerd/certs.d:/etc/docker/certs.d'

  [plugins.'io.containerd.cri.v1.runtime']
    [plugins.'io.containerd.cri.v1.runtime'.containerd]
      default_runtime_name = 'runc'

      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes]
        [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
          runtime_type = 'io.containerd.runc.v2'
          sandboxer = 'podsandbox'

          [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
            BinaryName = ''
            SystemdCgroup = false
`;

const SOCKET = '/run/containerd/containerd.sock';

/**
 * Returns why the container runtime interface does not answer, in the words of crictl and kubeadm. Undefined when it
 * answers.
 */
export function criProblem(node: SimNode): string | undefined {
  if (activeState(node, 'containerd') !== 'active') {
    return `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing dial unix ${SOCKET}: connect: no such file or directory"`;
  }
  const path = '/etc/containerd/config.toml';
  const config = node.root.exists(path) ? node.root.readText(path) : '';
  const isSwitchedOff = /^\s*disabled_plugins\s*=\s*\[[^\]]*"(io\.containerd\.grpc\.v1\.)?cri"/m.test(config);
  // containerd does not load its CRI plugin when the configuration mixes both styles of registries
  const isInvalid = /^\s*config_path\s*=\s*"[^"]+"/m.test(config) && /registry\.mirrors\."/.test(config);
  if (isSwitchedOff || isInvalid) {
    return 'rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService';
  }
  return undefined;
}

export function addImages(node: SimNode, images: readonly string[]): void {
  node.state.images = [...new Set([...node.state.images, ...images])];
  node.changed();
}

function containerd(args: readonly string[], { node, files }: CommandContext): Output {
  const version = installedProgram(node, 'containerd')?.version ?? '';
  if (args.includes('--version') || args.includes('-v')) {
    return ok(`containerd github.com/containerd/containerd v${version} 64b8a811b07ba6288238eefc14d898ee0b5b99ba\n`);
  }
  const standard = version.startsWith('1.') ? CONFIG : CONFIG_2;
  if (args[0] === 'config' && args[1] === 'default') return ok(standard);
  if (args[0] === 'config' && args[1] === 'dump') {
    return ok(files.exists('/etc/containerd/config.toml') ? files.readText('/etc/containerd/config.toml') : standard);
  }
  return failure(1, 'containerd: run it as a service');
}

async function ctr(args: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  const words = parseArguments(args, new Set(['-n', '--namespace', '--hosts-dir', '-a', '--address'])).operands;
  if (args.includes('--version'))
    return ok(`ctr github.com/containerd/containerd v${installedProgram(node, 'ctr')?.version ?? ''}\n`);
  const problem =
    activeState(node, 'containerd') === 'active'
      ? undefined
      : `ctr: cannot access socket ${SOCKET}: no such file or directory`;
  if (problem !== undefined) return failure(1, problem);
  const [object, verb, image] = words;
  if (object === 'run') return ctrRun(args, context);
  if (object === 'version') return ok(`Client:\n  Version:  v${installedProgram(node, 'ctr')?.version ?? ''}\n`);
  if (object?.startsWith('i') && (verb === 'ls' || verb === 'list'))
    return ok(`REF TYPE DIGEST SIZE PLATFORMS LABELS\n${node.state.images.map((name) => `${name}\n`).join('')}`);
  if (object?.startsWith('i') && verb === 'pull' && image !== undefined) {
    const refusal = imageProblem(node, image, 'containerd');
    if (refusal) return failure(1, `ctr: ${refusal.reason}`);
    addImages(node, [image]);
    return ok(`${image}: resolved\nunpacking linux/amd64...\ndone\n`);
  }
  return ok();
}

const RUN_VALUES = new Set('-n --namespace -a --address --mount --env --user --cwd --label --snapshotter'.split(' '));

/** Runs `ctr run … IMAGE ID COMMAND…`. Of all images, only etcd's contains a program that people run by hand. */
async function ctrRun(args: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  const [, image = '', id = '', program] = parseArguments(args, RUN_VALUES).operands;
  if (id === '') return failure(1, 'ctr: container id must be provided');
  if (!node.state.images.includes(image)) return failure(1, `ctr: image "${image}": not found`);
  // the options of ctr end before the name of the image
  const own = parseArguments(args.slice(0, args.indexOf(image)), RUN_VALUES);
  const mounts = (own.all.get('--mount') ?? []).map((text) => {
    const part = Object.fromEntries(text.split(',').map((pair) => pair.split('=', 2)));
    return { source: String(part['src'] ?? ''), destination: String(part['dst'] ?? '') };
  });
  const missing = mounts.find(({ source }) => !node.root.exists(source));
  if (missing) {
    return failure(
      1,
      `ctr: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error mounting "${missing.source}" to rootfs at "${missing.destination}": stat ${missing.source}: no such file or directory: unknown`,
    );
  }
  if (program === 'etcdctl' && /\/etcd:/.test(image)) {
    const [, version = ''] = /\/etcd:([\d.]+)/.exec(image) ?? [];
    return etcdctl(args.slice(args.indexOf('etcdctl') + 1), context, { host: node, mounts, version });
  }
  return failure(
    1,
    `ctr: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "${program ?? ''}": executable file not found in $PATH: unknown`,
  );
}

/** Options of crictl that take a value. */
const CRICTL_VALUES = new Set([
  '-r',
  '--runtime-endpoint',
  '-i',
  '--image-endpoint',
  '-o',
  '--output',
  '--name',
  '--state',
  '-t',
  '--timeout',
  '--config',
  '-c',
  '--creds',
  '--auth',
]);

/** What one verb of crictl works with. */
interface CrictlCall {
  readonly args: readonly string[];
  readonly parsed: Arguments;
  readonly operands: readonly string[];
  readonly context: CommandContext;
}

type CrictlVerb = (call: CrictlCall) => Promise<Output> | Output;

/** crictl logs in with `--creds USER:PASSWORD` or `--auth BASE64`; it does not know the logins of the kubelet. */
function crictlPull({ parsed, operands, context: { node } }: CrictlCall): Output {
  const creds = parsed.value('--creds');
  const auth = parsed.value('--auth') ?? (creds === undefined ? undefined : Buffer.from(creds).toString('base64'));
  const authorization = auth === undefined ? undefined : `Basic ${auth}`;
  const refusals = operands.flatMap((image) => pullRefusal(node, image, authorization) ?? []);
  if (refusals[0] !== undefined) {
    return failure(
      1,
      `time="2026-11-21T10:00:00Z" level=fatal msg="pulling image: ${refusals[0].replaceAll('"', '\\"')}"`,
    );
  }
  addImages(node, operands);
  return ok(operands.map((image) => `Image is up to date for ${image}\n`).join(''));
}

function crictlInspectImage({ operands, context: { node } }: CrictlCall): Output {
  const [image = ''] = operands;
  if (node.state.images.includes(image))
    return ok(`{\n  "status": {\n    "id": "sha256:0",\n    "repoTags": [\n      "${image}"\n    ]\n  }\n}\n`);
  return failure(1, `time="2026-11-21T10:00:00Z" level=fatal msg="no such image \\"${image}\\" present"`);
}

function crictlList({ parsed, context: { node } }: CrictlCall): Output {
  const name = parsed.value('--name');
  const shown = containersOf(node).filter((container) => name === undefined || new RegExp(name).test(container.name));
  if (parsed.has('-q', '--quiet')) return ok(shown.map(({ id }) => `${id}\n`).join(''));
  return ok(
    `CONTAINER           IMAGE               CREATED             STATE               NAME                      ATTEMPT             POD ID\n${shown.map(({ id, name: own }) => `${id}       ${id.slice(0, 13)}       1 minute ago        Running             ${own.padEnd(25)} 0                   ${id}\n`).join('')}`,
  );
}

async function crictlExec({ args, context }: CrictlCall): Promise<Output> {
  const { node } = context;
  const [id = '', ...command] = args
    .slice(args.indexOf('exec') + 1)
    .filter((word, index) => index > 0 || !word.startsWith('-'));
  const container = containersOf(node).find((found) => found.id.startsWith(id) && id !== '');
  if (!container)
    return failure(
      1,
      `time="2026-11-21T10:00:00Z" level=fatal msg="execing command in container: rpc error: code = NotFound desc = an error occurred when try to find container \\"${id}\\": not found"`,
    );
  if (command[0] === 'etcdctl' && container.name === 'etcd')
    return etcdctl(command.slice(1), context, etcdContainer(node));
  return failure(1, `level=fatal msg="execing command in container: exec: ${command[0] ?? ''}: not found"`);
}

const crictlImages: CrictlVerb = ({ parsed, context: { node } }) => images(node, parsed.value('-o', '--output'));

const CRICTL_VERBS: Readonly<Record<string, CrictlVerb>> = {
  info: () =>
    ok(
      '{\n  "status": {\n    "conditions": [\n      {\n        "type": "RuntimeReady",\n        "status": true,\n        "reason": "",\n        "message": ""\n      }\n    ]\n  }\n}\n',
    ),
  version: ({ context: { node } }) =>
    ok(
      `Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v${installedProgram(node, 'containerd')?.version ?? ''}\nRuntimeApiVersion:  v1\n`,
    ),
  images: crictlImages,
  image: crictlImages,
  img: crictlImages,
  pull: crictlPull,
  inspecti: crictlInspectImage,
  rmi: ({ operands, context: { node } }) => {
    node.state.images = node.state.images.filter((image) => !operands.includes(image));
    node.changed();
    return ok();
  },
  ps: crictlList,
  pods: crictlList,
  exec: crictlExec,
};

async function crictl(args: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  const parsed = parseArguments(args, CRICTL_VALUES);
  const [verb = '', ...operands] = parsed.operands;
  if (parsed.has('--version', '-v') && verb === '')
    return ok(`crictl version v${installedProgram(node, 'crictl')?.version ?? ''}\n`);
  if (!context.isRoot) {
    return failure(
      1,
      `time="2026-11-21T10:00:00Z" level=fatal msg="validate service connection: validate CRI v1 runtime API for endpoint \\"unix://${SOCKET}\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix ${SOCKET}: connect: permission denied\\""`,
    );
  }
  const problem = criProblem(node);
  if (problem !== undefined) {
    return failure(
      1,
      `time="2026-11-21T10:00:00Z" level=fatal msg="validate service connection: validate CRI v1 runtime API for endpoint \\"unix://${SOCKET}\\": ${problem.replaceAll('"', '\\"')}"`,
    );
  }
  return CRICTL_VERBS[verb]?.({ args, parsed, operands, context }) ?? ok();
}

function images(node: SimNode, format: string | undefined): Output {
  if (format === 'json') {
    const list = node.state.images.map((image) => ({ id: 'sha256:0', repoTags: [image], repoDigests: [], size: '1' }));
    return ok(`${JSON.stringify({ images: list }, null, 2)}\n`);
  }
  const rows = node.state.images.map((image) => {
    const at = image.lastIndexOf(':');
    return `${image.slice(0, at).padEnd(42)} ${image.slice(at + 1).padEnd(12)} 0123456789abc       10MB\n`;
  });
  return ok(`IMAGE                                      TAG          IMAGE ID            SIZE\n${rows.join('')}`);
}

export const RUNTIME: CommandTable = {
  containerd: { run: containerd },
  ctr: { run: ctr },
  crictl: { run: crictl },
  runc: {
    run: (args, { node }) => {
      const version = installedProgram(node, 'runc')?.version ?? '';
      if (args.includes('--version') || args.includes('-v'))
        return ok(
          `runc version ${version}\ncommit: v${version}-0-g18a0cb0f\nspec: 1.0.2-dev\ngo: go1.20.10\nlibseccomp: 2.5.4\n`,
        );
      return ok();
    },
  },
  'containerd-shim-runc-v2': { run: () => ok() },
  'containerd-stress': { run: () => ok() },
};
