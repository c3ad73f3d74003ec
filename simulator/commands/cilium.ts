import type { ClusterState } from '../world/cluster/clusters.ts';
import { agentIsReady } from '../world/cluster/kube-nodes.ts';
import { podsOf } from '../world/cluster/pods.ts';
import { installedProgram } from '../world/files/installed-program.ts';
import { goDuration } from './kubeadm/config.ts';
import { connect } from './kubectl/connection.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from './shell/command.ts';

const VALUES = new Set(
  '--version --set --values -f --namespace -n --context --wait-duration -o --output --helm-set --chart-directory --repository --kubeconfig'.split(
    ' ',
  ),
);
const DEFAULT_VERSION = '1.14.5';

const DIGESTS: Readonly<Record<string, readonly [string, string]>> = {
  '1.14.5': [
    'sha256:d3b287029755b6a47dee01420e2ea469469f1b174a2089c10af7e5e9289ef05b',
    'sha256:303f9076bdc73b3fc32aaedee64a14f6f44c8bb08ee9e3956d443021103ebe7a',
  ],
};

interface Health {
  readonly desired: number;
  readonly ready: number;
  readonly operator: number;
  readonly managed: number;
  readonly clusterPods: number;
}

function healthOf({ world }: CommandContext, cluster: ClusterState): Health {
  const nodes = Object.values(cluster.nodes);
  const pods = podsOf(world, cluster);
  const own = pods.filter((pod) => pod.ownerName.startsWith('coredns-'));
  return {
    desired: cluster.cni ? nodes.length : 0,
    ready: cluster.cni ? nodes.filter((kube) => agentIsReady(world, cluster, kube)).length : 0,
    operator: pods.filter((pod) => pod.ownerName.startsWith('cilium-operator') && pod.ready).length,
    managed: own.filter((pod) => pod.ready).length,
    clusterPods: own.length,
  };
}

function isHealthy(health: Health): boolean {
  return health.desired > 0 && health.ready === health.desired && health.operator > 0;
}

function picture(cluster: ClusterState, health: Health): string {
  const { desired, ready, operator, managed, clusterPods } = health;
  const ok_ = (good: boolean, problems: number) => (good ? 'OK' : `${problems} errors`);
  const agents = ok_(ready === desired && desired > 0, Math.max(1, desired - ready));
  const operators = ok_(operator > 0, 1);
  const version = cluster.cni?.version ?? '';
  const [agentDigest, operatorDigest] = DIGESTS[version] ?? ['', ''];
  const at = (digest: string) => (digest === '' ? '' : `@${digest}`);
  const deployment = (word: string, name: string, wanted: number, have: number) =>
    `${word.padEnd(22)} ${name.padEnd(18)} ${wanted === 0 ? '' : `Desired: ${wanted}, Ready: ${have}/${wanted}, Available: ${have}/${wanted}`}`;
  return [
    `    /¯¯\\`,
    ` /¯¯\\__/¯¯\\    Cilium:             ${agents}`,
    ` \\__/¯¯\\__/    Operator:           ${operators}`,
    ' /¯¯\\__/¯¯\\    Envoy DaemonSet:    disabled (using embedded mode)',
    ' \\__/¯¯\\__/    Hubble Relay:       disabled',
    '    \\__/       ClusterMesh:        disabled',
    '',
    deployment('Deployment', 'cilium-operator', cluster.cni ? 1 : 0, Math.min(1, operator)),
    deployment('DaemonSet', 'cilium', desired, ready),
    `${'Containers:'.padEnd(22)} ${'cilium'.padEnd(18)} Running: ${ready}${desired > ready ? `, Pending: ${desired - ready}` : ''}`,
    `${''.padEnd(22)} ${'cilium-operator'.padEnd(18)} Running: ${Math.min(1, operator)}`,
    `${'Cluster Pods:'.padEnd(22)} ${managed}/${clusterPods} managed by Cilium`,
    'Helm chart version:    ',
    ...(cluster.cni
      ? [
          `${'Image versions'.padEnd(22)} ${'cilium'.padEnd(18)} quay.io/cilium/cilium:v${version}${at(agentDigest)}: ${desired}`,
          `${''.padEnd(22)} ${'cilium-operator'.padEnd(18)} quay.io/cilium/operator-generic:v${version}${at(operatorDigest)}: 1`,
        ]
      : []),
    '',
  ].join('\n');
}

function statusJson(cluster: ClusterState, health: Health): string {
  const pods = (type: string, desired: number, ready: number) => ({
    Type: type,
    Desired: desired,
    Ready: ready,
    Available: ready,
    Unavailable: desired - ready,
  });
  return `${JSON.stringify(
    {
      image_count: {},
      phase_count: { cilium: { Running: health.ready }, 'cilium-operator': { Running: health.operator } },
      pod_state: {
        cilium: pods('DaemonSet', health.desired, health.ready),
        'cilium-operator': pods('Deployment', cluster.cni ? 1 : 0, Math.min(1, health.operator)),
      },
      pods_count: { all: health.clusterPods, by_cilium: health.managed },
      errors: {},
      collection_errors: null,
      helm_chart_version: cluster.cni?.version ?? '',
    },
    null,
    2,
  )}\n`;
}

async function status(parsed: Arguments, context: CommandContext, cluster: ClusterState): Promise<Output> {
  const limit = goDuration(parsed.value('--wait-duration') ?? '5m0s');
  const until = context.world.clock.elapsed() + limit;
  for (;;) {
    const health = healthOf(context, cluster);
    const shown = parsed.value('-o', '--output') === 'json' ? statusJson(cluster, health) : picture(cluster, health);
    if (isHealthy(health)) return ok(shown);
    if (!parsed.has('--wait')) {
      return cluster.cni
        ? failure(
            1,
            `\nError: Unable to determine status:  ${Math.max(1, health.desired - health.ready)} errors`,
            shown,
          )
        : failure(1, 'Error: Unable to determine status:  1 errors', shown);
    }
    if (context.world.clock.elapsed() >= until) {
      return failure(
        1,
        '\nError: Unable to determine status:  timeout while waiting for status to become successful: context deadline exceeded',
        shown,
      );
    }
    await context.sleep(1);
  }
}

function install(parsed: Arguments, context: CommandContext, cluster: ClusterState): Output {
  const version = (parsed.value('--version') ?? DEFAULT_VERSION).replace(/^v/, '');
  if (cluster.cni) return failure(1, 'Error: Unable to install Cilium: cannot re-use a name that is still in use');
  if (!/^1\.(?:1[0-9]|20)\.\d+$/.test(version))
    return failure(
      1,
      `Error: Unable to install Cilium: chart "cilium" version "${version}" not found in https://helm.cilium.io repository`,
    );
  const values = Object.fromEntries(
    [...(parsed.all.get('--set') ?? []), ...(parsed.all.get('--helm-set') ?? [])].map((pair) => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1),
    ]),
  );
  cluster.cni = { name: 'cilium', version, installedAt: context.world.clock.elapsed(), values };
  context.world.clusters.changed(cluster);
  return ok(
    `ℹ️  Using Cilium version ${version}\n🔮 Auto-detected cluster name: kubernetes\n🔮 Auto-detected kube-proxy has been installed\n`,
  );
}

function uninstall(context: CommandContext, cluster: ClusterState): Output {
  if (!cluster.cni)
    return failure(1, '❌ Unable to uninstall Cilium: uninstall: Release not loaded: cilium: release: not found');
  cluster.cni = null;
  context.world.clusters.changed(cluster);
  return ok('🔥 Deleting pods in cilium-test namespace...\n');
}

async function cilium(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, VALUES);
  const [verb = ''] = parsed.operands;
  const own = installedProgram(context.node, 'cilium')?.version ?? '';
  if (verb === 'version') {
    const client = `cilium-cli: v${own} compiled with go1.22.0 on linux/amd64\ncilium image (default): v${DEFAULT_VERSION}\ncilium image (stable): v1.15.1\n`;
    return parsed.has('--client')
      ? ok(client)
      : ok(`${client}cilium image (running): unknown. Unable to obtain cilium version. Reason: release: not found\n`);
  }
  const connection = connect(context, { kubeconfig: undefined, server: undefined });
  if (!('cluster' in connection)) {
    const reason = (connection.stderr ?? '').trim();
    return failure(1, `\nError: Unable to ${verb === 'status' ? 'determine status' : `${verb} Cilium`}:  ${reason}`);
  }
  const { cluster } = connection;
  if (verb === 'status') return status(parsed, context, cluster);
  if (verb === 'install') return install(parsed, context, cluster);
  if (verb === 'uninstall') return uninstall(context, cluster);
  return failure(1, `Error: unknown command "${verb}" for "cilium"`);
}

export const CILIUM: CommandTable = {
  // `status --wait` takes as long as the agents need, not a fixed time
  cilium: { run: cilium, seconds: (args) => (args[0] === 'status' ? 0.2 : undefined) },
};
