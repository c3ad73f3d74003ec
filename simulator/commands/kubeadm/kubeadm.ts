import { randomBytes } from 'node:crypto';
import { validTokens } from '../../world/cluster/bootstrap-tokens.ts';
import { stamp } from '../../world/cluster/time.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import { pullRefusal } from '../../world/internet/registries.ts';
import { addImages, criProblem } from '../runtime.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { ADMIN_CONF, clusterOf, workSeconds } from './api.ts';
import { ConfigError, goDuration } from './config.ts';
import { imagesOf, minorOf } from './images.ts';
import { init } from './init.ts';
import { randomToken, readConfig } from './init-settings.ts';
import { join } from './join.ts';
import { STACK_HINT } from './preflight.ts';
import { reset } from './reset.ts';

function version(args: readonly string[], { node }: CommandContext): Output {
  const own = installedProgram(node, 'kubeadm')?.version ?? '';
  const format = parseArguments(args, new Set(['-o', '--output'])).value('-o', '--output');
  if (format === 'short') return ok(`v${own}\n`);
  const minor = minorOf(own);
  if (format === 'json')
    return ok(
      `${JSON.stringify({ clientVersion: { major: '1', minor: String(minor), gitVersion: `v${own}`, platform: 'linux/amd64' } }, null, 2)}\n`,
    );
  return ok(
    `kubeadm version: &version.Info{Major:"1", Minor:"${minor}", GitVersion:"v${own}", GitTreeState:"clean", GoVersion:"go1.20.7", Compiler:"gc", Platform:"linux/amd64"}\n`,
  );
}

const IMAGE_VALUES = new Set([
  '--kubernetes-version',
  '--image-repository',
  '--cri-socket',
  '--config',
  '-o',
  '--feature-gates',
]);

async function config(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, IMAGE_VALUES);
  const [object, verb] = parsed.operands;
  if (object !== 'images') return failure(1, `invalid subcommand "${object ?? ''}"`);
  const file = parsed.value('--config');
  const document = file === undefined ? undefined : readConfig(context.path(file), context).cluster;
  const own = installedProgram(context.node, 'kubeadm')?.version ?? '';
  const wanted = parsed.value('--kubernetes-version') ?? document?.kubernetesVersion ?? `v${own}`;
  const images = imagesOf(
    wanted.startsWith('v') ? wanted : `v${wanted}`,
    parsed.value('--image-repository') ?? document?.imageRepository ?? 'registry.k8s.io',
  );
  if (verb === 'list') {
    return parsed.value('-o') === 'json'
      ? ok(`${JSON.stringify({ kind: 'Images', apiVersion: 'output.kubeadm.k8s.io/v1alpha2', images })}\n`)
      : ok(`${images.join('\n')}\n`);
  }
  if (verb !== 'pull') return failure(1, `invalid subcommand "${verb ?? ''}"`);
  const missing = images.filter((image) => !context.node.state.images.includes(image));
  const unavailable = missing.find((image) => pullRefusal(context.node, image) !== undefined);
  const problem = criProblem(context.node) ?? (unavailable && pullRefusal(context.node, unavailable));
  if (problem !== undefined) {
    return failure(
      1,
      `failed to pull image "${unavailable ?? images[0] ?? ''}": output: E1121 10:00:00.000000    1234 remote_image.go:171] "PullImage from image service failed" err="${problem}"\n, error: exit status 1\n${STACK_HINT}`,
    );
  }
  if (missing.length > 0) await context.sleep(workSeconds(context, 'kubeadm config images pull'));
  addImages(context.node, images);
  return ok(images.map((image) => `[config/images] Pulled ${image}\n`).join(''));
}

const TOKEN_VALUES = new Set([
  '--ttl',
  '--description',
  '--kubeconfig',
  '--config',
  '--usages',
  '--groups',
  '-o',
  '--output',
  '--certificate-key',
]);

/** Formats a remaining time like kubeadm: 45s, 59m, 23h, 2d. */
function shortDuration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

async function token(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, TOKEN_VALUES);
  const [verb = 'list', given] = parsed.operands;
  if (verb === 'generate') return ok(`${randomToken()}\n`);
  await context.sleep(workSeconds(context, 'kubeadm token'));
  const cluster = clusterOf(context, parsed.value('--kubeconfig') ?? ADMIN_CONF);
  if (typeof cluster === 'string')
    return failure(1, `${verb === 'create' ? 'timed out waiting for the condition: ' : ''}${cluster}\n${STACK_HINT}`);
  const now = context.world.clock.elapsed();
  const tokens = validTokens(cluster, now);
  const changed = () => context.world.clusters.changed(cluster);
  if (verb === 'create') {
    const text = given ?? randomToken();
    const [id = '', secret = ''] = text.split('.');
    if (!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text))
      return failure(
        1,
        `the bootstrap token "${text}" was not of the form "\\\\A([a-z0-9]{6})\\\\.([a-z0-9]{16})\\\\z"\n${STACK_HINT}`,
      );
    if (tokens[id]) return failure(1, `a token with id "${id}" already exists\n${STACK_HINT}`);
    const ttl = goDuration(parsed.value('--ttl') ?? '24h0m0s');
    cluster.tokens[id] = {
      secret,
      expiresAt: ttl === 0 ? null : now + ttl,
      description: parsed.value('--description') ?? '',
    };
    changed();
    if (parsed.has('--print-join-command'))
      return ok(
        `kubeadm join ${cluster.endpoint} --token ${text} --discovery-token-ca-cert-hash sha256:${cluster.ca.hash} \n`,
      );
    return ok(`${text}\n`);
  }
  if (verb === 'delete') {
    const id = (given ?? '').split('.')[0] ?? '';
    if (!tokens[id])
      return failure(
        1,
        `failed to delete bootstrap token "${id}": secrets "bootstrap-token-${id}" not found\n${STACK_HINT}`,
      );
    delete cluster.tokens[id];
    changed();
    return ok(`bootstrap token "${id}" deleted\n`);
  }
  const rows = Object.entries(tokens).map(([id, { secret, expiresAt, description }]) => {
    const left = expiresAt === null ? '<forever>' : shortDuration(expiresAt - now);
    const end = expiresAt === null ? '<never>' : stamp(cluster, expiresAt);
    return `${id}.${secret}   ${left.padEnd(11)} ${end.padEnd(22)} authentication,signing   ${(description || '<none>').padEnd(54)} system:bootstrappers:kubeadm:default-node-token\n`;
  });
  return ok(
    `TOKEN                     TTL         EXPIRES                USAGES                   DESCRIPTION                                                EXTRA GROUPS\n${rows.join('')}`,
  );
}

function certs(args: readonly string[], { node }: CommandContext): Output {
  const [verb] = args;
  if (verb === 'certificate-key') return ok(`${randomBytes(32).toString('hex')}\n`);
  if (verb !== 'check-expiration')
    return ok(
      'Done renewing certificates. You must restart the kube-apiserver, kube-controller-manager, kube-scheduler and etcd, so that they can use the new certificates.\n',
    );
  if (!node.root.exists('/etc/kubernetes/pki/apiserver.crt'))
    return failure(
      1,
      `failed to load existing certificate apiserver: open /etc/kubernetes/pki/apiserver.crt: no such file or directory\n${STACK_HINT}`,
    );
  const names = [
    'admin.conf',
    'apiserver',
    'apiserver-etcd-client',
    'apiserver-kubelet-client',
    'etcd-server',
    'front-proxy-client',
  ];
  return ok(
    `CERTIFICATE                EXPIRES                  RESIDUAL TIME   CERTIFICATE AUTHORITY   EXTERNALLY MANAGED\n${names.map((name) => `${name.padEnd(26)} Nov 21, 2027 10:00 UTC   364d            ca                      no      \n`).join('')}`,
  );
}

/** Runs `kubeadm upgrade` for the cluster or for this node. */
async function upgrade(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set(['--config', '--kubeconfig', '--etcd-upgrade', '--certificate-renewal']));
  const [verb, wanted = ''] = parsed.operands;
  const own = `v${installedProgram(context.node, 'kubeadm')?.version ?? ''}`;
  if (verb === 'node') {
    await context.sleep(20);
    return ok(
      '[upgrade] Reading configuration from the cluster...\n[upgrade] The configuration for this node was successfully updated!\n',
    );
  }
  const cluster = clusterOf(context);
  if (typeof cluster === 'string') return failure(1, `[upgrade/health] FATAL: ${cluster}\n${STACK_HINT}`);
  if (verb === 'plan')
    return ok(`[upgrade/versions] Cluster version: ${cluster.version}\n[upgrade/versions] kubeadm version: ${own}\n`);
  if (minorOf(wanted) > minorOf(cluster.version) + 1) {
    return failure(
      1,
      `[upgrade/version] FATAL: the --version argument is invalid due to these fatal errors:\n\n\t- Specified version to upgrade to "${wanted}" is too high; kubeadm can upgrade only 1 minor version at a time\n${STACK_HINT}`,
    );
  }
  await context.sleep(90);
  cluster.version = wanted;
  context.world.clusters.changed(cluster);
  return ok(`[upgrade/successful] SUCCESS! Your cluster was upgraded to "${wanted}". Enjoy!\n`);
}

const VERBS: Readonly<Record<string, (args: readonly string[], context: CommandContext) => Promise<Output> | Output>> =
  { version, config, token, certs, init, join, reset, upgrade };

async function kubeadm(args: readonly string[], context: CommandContext): Promise<Output> {
  const [verb = '', ...rest] = args;
  const run = VERBS[verb];
  if (!run) return failure(1, `Error: unknown command "${verb}" for "kubeadm"\nRun 'kubeadm --help' for usage.`);
  try {
    return await run(rest, context);
  } catch (error) {
    if (error instanceof ConfigError) return failure(1, `${error.message}\n${STACK_HINT}`);
    throw error;
  }
}

export const KUBEADM: CommandTable = {
  kubeadm: { run: kubeadm, seconds: () => 0 },
  kubelet: {
    run: (args, { node }) =>
      args.includes('--version')
        ? ok(`Kubernetes v${installedProgram(node, 'kubelet')?.version ?? ''}\n`)
        : failure(1, 'kubelet: start it with systemctl'),
  },
};
