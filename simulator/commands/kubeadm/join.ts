import { validTokens } from '../../world/cluster/bootstrap-tokens.ts';
import type { ClusterState } from '../../world/cluster/clusters.ts';
import { dialError, type Reached, reachApi } from '../../world/cluster/endpoints.ts';
import {
  addMember,
  hasQuorum,
  memberRuns,
  memberStarted,
  promoteMember,
  writeMemberData,
} from '../../world/cluster/etcd.ts';
import { readinessOf } from '../../world/cluster/kube-nodes.ts';
import { markControlPlane, registerNode } from '../../world/cluster/registration.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import { goClient } from '../../world/internet/proxy-client.ts';
import { kubeletProblem } from '../../world/systemd/services.ts';
import { type CommandContext, failure, type Output, parseArguments } from '../shell/command.ts';
import { workSeconds } from './api.ts';
import { ConfigError, goDuration } from './config.ts';
import { putSharedKeys, writeControlPlane, writeKubelet } from './control-plane.ts';
import { minorOf } from './images.ts';
import { pullMissing } from './init.ts';
import { readConfig } from './init-settings.ts';
import { preflight, STACK_HINT } from './preflight.ts';

const VALUES = new Set(
  '--config --token --discovery-token --tls-bootstrap-token --discovery-token-ca-cert-hash --certificate-key --apiserver-advertise-address --apiserver-bind-port --node-name --ignore-preflight-errors --skip-phases --cri-socket -v --v'.split(
    ' ',
  ),
);

interface Wanted {
  readonly endpoint: string;
  readonly token: string;
  readonly hashes: readonly string[];
  readonly anyAuthority: boolean;
  readonly discoverySeconds: number;
  readonly name: string;
  readonly address: string;
  readonly controlPlane: boolean;
  readonly certificateKey: string;
}

function wantedOf(parsed: ReturnType<typeof parseArguments>, context: CommandContext): Wanted {
  const { node } = context;
  const file = parsed.value('--config');
  const document = file === undefined ? undefined : readConfig(context.path(file), context).join;
  if (file !== undefined && !document) throw new ConfigError('no JoinConfiguration found in the --config file');
  const discovery = document?.discovery.bootstrapToken;
  const hashes = discovery?.caCertHashes ?? parsed.all.get('--discovery-token-ca-cert-hash') ?? [];
  const token =
    discovery?.token ?? document?.discovery.tlsBootstrapToken ?? parsed.value('--token', '--discovery-token') ?? '';
  const endpoint = discovery?.apiServerEndpoint ?? parsed.operands[0] ?? '';
  const anyAuthority =
    discovery?.unsafeSkipCAVerification ?? parsed.has('--discovery-token-unsafe-skip-ca-verification');
  if (endpoint === '') throw new ConfigError('discovery: Invalid value: "": bootstrapToken or file must be set');
  if (!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(token)) {
    throw new ConfigError(`discovery.bootstrapToken.token: Invalid value: "": the bootstrap token is invalid`);
  }
  if (hashes.length === 0 && !anyAuthority) {
    throw new ConfigError(
      'discovery.bootstrapToken: Invalid value: "": using token-based discovery without caCertHashes can be unsafe. Set unsafeSkipCAVerification as true in your kubeadm config file or pass --discovery-token-unsafe-skip-ca-verification flag to continue',
    );
  }
  for (const hash of hashes) {
    if (!/^sha256:[0-9a-f]{64}$/.test(hash))
      throw new ConfigError('discovery.bootstrapToken.caCertHashes: invalid hash: expected sha256:<64 hex digits>');
  }
  const plane = document?.controlPlane ?? undefined;
  return {
    endpoint,
    token,
    hashes,
    anyAuthority,
    discoverySeconds: goDuration(document?.discovery.timeout ?? document?.timeouts?.['discovery'] ?? '5m0s'),
    name: document?.nodeRegistration?.name ?? parsed.value('--node-name') ?? node.state.hostname,
    address:
      plane?.localAPIEndpoint?.advertiseAddress ??
      nodeIp(document?.nodeRegistration?.kubeletExtraArgs) ??
      parsed.value('--apiserver-advertise-address') ??
      node.state.machine.ports[0]?.address ??
      '',
    controlPlane: plane !== undefined || parsed.has('--control-plane'),
    certificateKey: plane?.certificateKey ?? parsed.value('--certificate-key') ?? '',
  };
}

function nodeIp(extra: unknown): string | undefined {
  if (Array.isArray(extra))
    return (extra as { name: string; value: string }[]).find(({ name }) => name === 'node-ip')?.value;
  return (extra as Record<string, string> | undefined)?.['node-ip'];
}

/**
 * Discovers the cluster like kubeadm: reads cluster-info until its signature by the token is valid, then compares the
 * CA.
 */
async function discover(wanted: Wanted, context: CommandContext): Promise<ClusterState | string> {
  const [id = '', secret = ''] = wanted.token.split('.');
  const limit = context.world.clock.elapsed() + wanted.discoverySeconds;
  const wrap = (text: string) =>
    `error execution phase preflight: couldn't validate the identity of the API Server: ${text}`;
  for (;;) {
    const reached: Reached = reachApi(context.node, wanted.endpoint, goClient('kubeadm', context.env));
    const problem =
      'problem' in reached ? unreachable(reached, wanted) : tokenProblem(reached.cluster, { id, secret, context });
    if (problem === undefined && 'cluster' in reached) {
      const pinned = wanted.anyAuthority || wanted.hashes.includes(`sha256:${reached.cluster.ca.hash}`);
      if (pinned) return reached.cluster;
      return wrap(
        `cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:${reached.cluster.ca.hash}" are pinned`,
      );
    }
    if (context.world.clock.elapsed() >= limit) return wrap(problem ?? '');
    await context.sleep(Math.min(5, Math.max(0.1, limit - context.world.clock.elapsed())));
  }
}

function unreachable(reached: Extract<Reached, { problem: string }>, { endpoint }: Wanted): string {
  return `failed to request the cluster-info ConfigMap: Get "https://${endpoint}/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": ${dialError(reached)}`;
}

function tokenProblem(
  cluster: ClusterState,
  { id, secret, context }: { id: string; secret: string; context: CommandContext },
): string | undefined {
  const token = validTokens(cluster, context.world.clock.elapsed())[id];
  if (!token) return `could not find a JWS signature in the cluster-info ConfigMap for token ID "${id}"`;
  return token.secret === secret
    ? undefined
    : "failed to verify JWS signature of received cluster info object, can't trust this API Server";
}

export async function join(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, VALUES);
  if (parsed.operands[0] === 'phase')
    return failure(1, `invalid subcommand: "${parsed.operands[1] ?? ''}"\n${STACK_HINT}`);
  let wanted: Wanted;
  try {
    wanted = wantedOf(parsed, context);
  } catch (error) {
    if (error instanceof ConfigError) return failure(1, `${error.message}\n${STACK_HINT}`);
    throw error;
  }
  const head = '[preflight] Running pre-flight checks\n';
  const ignored = (parsed.value('--ignore-preflight-errors') ?? '').split(',');
  const checked = preflight(wanted.controlPlane ? 'join-control-plane' : 'join-worker', context, ignored);
  if (checked.stopped) return failure(1, checked.stderr, head);
  const fail = (text: string, stdout = head) => failure(1, `${checked.stderr}${text}\n${STACK_HINT}`, stdout);
  const found = await discover(wanted, context);
  if (typeof found === 'string') return fail(found);
  const refusal =
    versionProblem(found, context) ?? (wanted.controlPlane ? certificatesProblem(found, wanted, context) : undefined);
  if (refusal !== undefined) return fail(refusal);
  const taken = found.nodes[wanted.name];
  // kubeadm compares names only: it refuses even the machine's own Node until the cluster has marked that Node as not
  // ready
  if (taken && readinessOf(context.world, found, taken).ready === 'True') {
    return fail(
      `error execution phase kubelet-start: a Node with name "${wanted.name}" and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node`,
    );
  }
  const work = workSeconds(context, 'kubeadm join');
  return wanted.controlPlane
    ? joinControlPlane(wanted, { context, cluster: found, work, head, fail, warnings: checked.stderr })
    : joinWorker(wanted, { context, cluster: found, work, head, fail, warnings: checked.stderr });
}

interface Joining {
  readonly context: CommandContext;
  readonly cluster: ClusterState;
  readonly work: number;
  readonly head: string;
  readonly warnings: string;
  readonly fail: (text: string, stdout?: string) => Output;
}

function versionProblem(cluster: ClusterState, { node }: CommandContext): string | undefined {
  const kubelet = installedProgram(node, 'kubelet')?.version ?? '';
  const kubeadm = installedProgram(node, 'kubeadm')?.version ?? '';
  if (minorOf(kubelet) > minorOf(cluster.version)) {
    return `error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR KubeletVersion]: the kubelet version is higher than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: "${kubelet}" Control plane version: "${cluster.version.slice(1)}"`;
  }
  if (minorOf(kubeadm) > minorOf(cluster.version) + 1) {
    return `error execution phase preflight: this version of kubeadm only supports deploying clusters with the control plane version >= 1.${minorOf(kubeadm) - 1}.0. Current version: ${cluster.version}`;
  }
  return undefined;
}

function certificatesProblem(
  cluster: ClusterState,
  { certificateKey }: Wanted,
  { world }: CommandContext,
): string | undefined {
  const { certificates } = cluster;
  const phase = 'error execution phase control-plane-prepare/download-certs: error downloading certs';
  if (!certificates || certificates.expiresAt <= world.clock.elapsed()) {
    return `${phase}: error downloading the secret: Secret "kubeadm-certs" was not found in the "kube-system" Namespace. This Secret might have expired. Please, run \`kubeadm init phase upload-certs --upload-certs\` on a control plane to generate a new one`;
  }
  if (certificates.key !== certificateKey)
    return `${phase}: error decoding secret data with provided key: cipher: message authentication failed`;
  return undefined;
}

const DONE =
  "This node has joined the cluster:\n* Certificate signing request was sent to apiserver and a response was received.\n* The Kubelet was informed of the new secure connection details.\n\nRun 'kubectl get nodes' on the control-plane to see this node join the cluster.\n\n";
const READING =
  "[preflight] Reading configuration from the cluster...\n[preflight] FYI: You can look at this config file with 'kubectl -n kube-system get cm kubeadm-config -o yaml'\n";
const KUBELET =
  '[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"\n[kubelet-start] Writing kubelet environment file with flags to file "/var/lib/kubelet/kubeadm-flags.env"\n[kubelet-start] Starting the kubelet\n[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap...\n\n';

async function startKubelet(wanted: Wanted, { context, cluster, head, fail }: Joining): Promise<Output | undefined> {
  writeKubelet(context.node, cluster, { name: wanted.name, server: wanted.endpoint, address: wanted.address });
  const problem = kubeletProblem(context.node);
  if (problem === undefined) return undefined;
  await context.sleep(300);
  return fail(
    `error execution phase kubelet-start: timed out waiting for the condition`,
    `${head}${READING}[kubelet-check] Initial timeout of 40s passed.\n[kubelet-check] It seems like the kubelet isn't running or healthy. (${problem})\n`,
  );
}

async function joinWorker(wanted: Wanted, joining: Joining): Promise<Output> {
  const { context, cluster, work, head, warnings, fail } = joining;
  await context.sleep(work * 0.4);
  const stopped = await startKubelet(wanted, joining);
  if (stopped) return stopped;
  await context.sleep(work * 0.6);
  const reached = reachApi(context.node, wanted.endpoint, goClient('kubeadm', context.env));
  if ('problem' in reached)
    return fail(
      `error execution phase kubelet-start: Get "https://${wanted.endpoint}/api/v1/nodes/${wanted.name}?timeout=10s": ${dialError(reached)}`,
    );
  registerNode(context.node, cluster, { name: wanted.name, address: wanted.address });
  return { stdout: `${head}${READING}${KUBELET}${DONE}`, stderr: warnings, exitCode: 0 };
}

/** Since 1.29, kubeadm adds a member that does not vote, and promotes it when it has the data. */
function joinsAsLearner({ version }: ClusterState): boolean {
  return minorOf(version) >= 29;
}

async function joinControlPlane(wanted: Wanted, joining: Joining): Promise<Output> {
  const { context, cluster, work, head, warnings, fail } = joining;
  const { world, node } = context;
  await pullMissing(context, cluster.version, cluster.imageRepository);
  await context.sleep(work * 0.3);
  const dead = cluster.etcd.members.filter((member) => member.started && !memberRuns(world, cluster, member));
  if (dead.length > 0 || !hasQuorum(world, cluster)) {
    return fail('error execution phase check-etcd: error syncing endpoints with etcd: context deadline exceeded');
  }
  putSharedKeys(node, cluster.certificates?.files ?? {});
  await writeControlPlane(node, cluster, {
    name: wanted.name,
    address: wanted.address,
    certSans: [],
    env: context.env,
  });
  // etcd does not run yet: its manifest is written after the membership
  const manifest = node.root.readText('/etc/kubernetes/manifests/etcd.yaml');
  node.root.remove('/etc/kubernetes/manifests/etcd.yaml', { recursive: false, force: true });
  const stopped = await startKubelet(wanted, joining);
  if (stopped) return stopped;
  const kube = registerNode(node, cluster, { name: wanted.name, address: wanted.address });
  await context.sleep(work * 0.4);
  const added = addMember(world, cluster, {
    name: wanted.name,
    address: wanted.address,
    server: node.id,
    learner: joinsAsLearner(cluster),
  });
  if (typeof added === 'string')
    return fail(
      `error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: ${added}`,
    );
  await context.sleep(work * 0.1 + (world.faults.take('etcd-slow', node.state)?.seconds ?? 0));
  node.root.write('/etc/kubernetes/manifests/etcd.yaml', manifest, { mode: 0o600 });
  writeMemberData(node, { cluster: cluster.id, member: added.id });
  memberStarted(world, cluster, added);
  if (added.learner) promoteMember(world, cluster, added.id);
  await context.sleep(work * 0.2);
  markControlPlane(node, cluster, kube);
  const text = `[download-certs] Downloading the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace\n[certs] Using certificateDir folder "/etc/kubernetes/pki"\n[check-etcd] Checking that the etcd cluster is healthy\n${KUBELET}[etcd] Announced new etcd member joining to the existing etcd cluster\n[etcd] Waiting for the new etcd member to join the cluster. This can take up to 40s\n[mark-control-plane] Marking the node ${wanted.name} as control-plane\n\nThis node has joined the cluster and a new control plane instance was created:\n\n* Certificate signing request was sent to apiserver and approval was received.\n* A new etcd member was added to the local/stacked etcd cluster.\n\n`;
  return { stdout: `${head}${READING}${text}`, stderr: warnings, exitCode: 0 };
}
