import { createHash, randomBytes } from 'node:crypto';
import { writingKey } from '../../world/cluster/api-server-files.ts';
import type { Authority, ClusterState } from '../../world/cluster/clusters.ts';
import { dialError, reachApi } from '../../world/cluster/endpoints.ts';
import { convertToDecimal, newMemberId, writeMemberData } from '../../world/cluster/etcd.ts';
import { startRestored } from '../../world/cluster/etcd-snapshot.ts';
import { createAuthority, publicKeyHash } from '../../world/cluster/pki.ts';
import { markControlPlane, registerNode } from '../../world/cluster/registration.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import { goClient } from '../../world/internet/proxy-client.ts';
import { kubeletProblem } from '../../world/systemd/services.ts';
import { addImages } from '../runtime.ts';
import { type CommandContext, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { clusterOf, workSeconds } from './api.ts';
import { ConfigError } from './config.ts';
import { sharedKeys, writeControlPlane, writeKubelet } from './control-plane.ts';
import { etcdVersionOf, imagesOf, minorOf } from './images.ts';
import { describeSuccess, kubeletFailed } from './init-output.ts';
import { type Settings, settings } from './init-settings.ts';
import { preflight, STACK_HINT } from './preflight.ts';

const VALUES = new Set(
  '--config --certificate-key --pod-network-cidr --service-cidr --control-plane-endpoint --apiserver-advertise-address --kubernetes-version --image-repository --node-name --token --token-ttl --apiserver-cert-extra-sans --ignore-preflight-errors --skip-phases --cri-socket --cert-dir --kubeconfig -v --v --service-dns-domain --patches'.split(
    ' ',
  ),
);

/** Flags that kubeadm accepts together with --config. */
const WITH_CONFIG = new Set(
  '--config --upload-certs --skip-certificate-key-print --skip-token-print --ignore-preflight-errors --skip-phases --node-name --dry-run -v --v --certificate-key --patches'.split(
    ' ',
  ),
);

const CERTIFICATE_SECONDS = 7200;

/** Loads the authority whose files exist on the machine (after a restore), or creates a new one. */
async function authority(context: CommandContext): Promise<Authority> {
  const { root } = context.node;
  const [crt, key] = ['/etc/kubernetes/pki/ca.crt', '/etc/kubernetes/pki/ca.key'];
  if (!root.exists(crt) || !root.exists(key)) return createAuthority('kubernetes', 'rsa');
  const certificate = root.readText(crt);
  return { certificate, privateKey: root.readText(key), hash: publicKeyHash(certificate) };
}

async function makeCluster(context: CommandContext, wanted: Settings): Promise<ClusterState> {
  const { world, node } = context;
  const ca = await authority(context);
  const restored = startRestored(node, ca);
  if (restored) {
    Object.assign(restored, { ca, endpoint: wanted.endpoint, apiServer: wanted.apiServer }); // keys come from /etc/kubernetes/pki, and ConfigMaps are written again
    return restored;
  }
  const member = newMemberId();
  const cluster: ClusterState = {
    id: createHash('sha256').update(ca.hash).update(randomBytes(8)).digest('hex').slice(0, 16),
    createdAt: world.clock.elapsed(),
    createdIso: new Date().toISOString(),
    version: wanted.version,
    endpoint: wanted.endpoint,
    imageRepository: wanted.repository,
    podSubnet: wanted.podSubnet || '10.0.0.0/8',
    serviceSubnet: wanted.serviceSubnet,
    dnsDomain: wanted.dnsDomain,
    ...(wanted.apiServer === undefined ? {} : { apiServer: wanted.apiServer }),
    ca,
    tokens: {},
    certificates: null,
    nodes: {},
    etcd: {
      clusterId: convertToDecimal(newMemberId()),
      members: [
        { id: member, name: wanted.name, address: wanted.address, learner: false, server: node.id, started: true },
      ],
      revision: 300,
      term: 2,
      version: etcdVersionOf(wanted.version),
    },
    cni: null,
    complete: false,
    objects: {},
  };
  world.clusters.add(cluster);
  writeMemberData(node, { cluster: cluster.id, member });
  return cluster;
}

export async function init(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, VALUES);
  const [phase, name] = parsed.operands;
  if (phase === 'phase') return initPhase(name ?? '', parsed, context);
  const mixed = parsed.has('--config') ? [...parsed.options.keys()].filter((flag) => !WITH_CONFIG.has(flag)) : [];
  if (mixed.length > 0)
    return failure(
      3,
      `can not mix '--config' with arguments [${mixed.map((flag) => flag.replace(/^-+/, '')).join(' ')}]\n${STACK_HINT}`,
    );
  let wanted: Settings;
  try {
    wanted = settings(parsed, context);
  } catch (error) {
    if (error instanceof ConfigError) return failure(1, `${error.message}\n${STACK_HINT}`);
    throw error;
  }
  const own = installedProgram(context.node, 'kubeadm')?.version ?? '';
  if (minorOf(wanted.version) > minorOf(own)) {
    return failure(
      1,
      `this version of kubeadm only supports deploying clusters with the control plane version >= 1.${minorOf(own) - 1}.0. Current version: ${wanted.version}\n${STACK_HINT}`,
    );
  }
  const head = `[init] Using Kubernetes version: ${wanted.version}\n[preflight] Running pre-flight checks\n`;
  const ignored = (parsed.value('--ignore-preflight-errors') ?? '').split(',');
  const checked = preflight('init', context, ignored);
  if (checked.stopped) return failure(1, checked.stderr, head);
  const seconds = workSeconds(context, 'kubeadm init');
  await pullMissing(context, wanted.version, wanted.repository);
  await context.sleep(seconds * 0.5);
  const cluster = await makeCluster(context, wanted);
  const files = { name: wanted.name, address: wanted.address, certSans: wanted.certSans, env: context.env };
  await writeControlPlane(context.node, cluster, files);
  writeKubelet(context.node, cluster, { name: wanted.name, server: cluster.endpoint, address: wanted.address });
  // the first API server of a cluster writes its first Secrets
  const secretsKey = writingKey(context.node, cluster);
  if (!cluster.complete && secretsKey !== undefined) cluster.secretsKey = secretsKey;
  const problem = kubeletProblem(context.node);
  if (problem !== undefined) return kubeletFailed(context, { head: head + checked.stderr, problem });
  await context.sleep(seconds * 0.5);
  const reached = reachApi(context.node, cluster.endpoint, goClient('kubeadm', context.env));
  if ('problem' in reached) {
    return failure(
      1,
      `${checked.stderr}error execution phase upload-config/kubeadm: error uploading the kubeadm ClusterConfiguration: Post "https://${cluster.endpoint}/api/v1/namespaces/kube-system/configmaps?timeout=10s": ${dialError(reached)}\n${STACK_HINT}`,
      head,
    );
  }
  const kube = registerNode(context.node, cluster, { name: wanted.name, address: wanted.address });
  markControlPlane(context.node, cluster, kube);
  const now = context.world.clock.elapsed();
  const [id = '', secret = ''] = wanted.token.split('.');
  cluster.tokens[id] = {
    secret,
    expiresAt: wanted.tokenSeconds === null ? null : now + wanted.tokenSeconds,
    description: '',
  };
  const uploads = parsed.has('--upload-certs');
  if (uploads)
    cluster.certificates = {
      key: wanted.certificateKey,
      expiresAt: now + CERTIFICATE_SECONDS,
      files: sharedKeys(context.node),
    };
  cluster.complete = true;
  context.world.clusters.changed(cluster);
  return {
    stdout:
      head +
      describeSuccess(cluster, wanted, {
        uploads,
        showKey: uploads && !parsed.has('--skip-certificate-key-print'),
        showToken: !parsed.has('--skip-token-print'),
      }),
    stderr: checked.stderr,
    exitCode: 0,
  };
}

export async function pullMissing(context: CommandContext, version: string, repository: string): Promise<void> {
  const missing = imagesOf(version, repository).filter((image) => !context.node.state.images.includes(image));
  if (missing.length === 0) return;
  await context.sleep(workSeconds(context, 'kubeadm config images pull'));
  addImages(context.node, missing);
}

async function initPhase(
  name: string,
  parsed: ReturnType<typeof parseArguments>,
  context: CommandContext,
): Promise<Output> {
  if (name === 'preflight') {
    const checked = preflight('init', context, (parsed.value('--ignore-preflight-errors') ?? '').split(','));
    return {
      stdout: '[preflight] Running pre-flight checks\n',
      stderr: checked.stderr,
      exitCode: checked.stopped ? 1 : 0,
    };
  }
  if (name !== 'upload-certs') return failure(1, `invalid subcommand: "${name}"\n${STACK_HINT}`);
  let key: string;
  try {
    key = settings(parsed, context).certificateKey;
  } catch (error) {
    if (error instanceof ConfigError) return failure(1, `${error.message}\n${STACK_HINT}`);
    throw error;
  }
  if (!parsed.has('--upload-certs')) return ok('[upload-certs] Skipping phase. Please see --upload-certs\n');
  await context.sleep(workSeconds(context, 'kubeadm init phase'));
  const cluster = clusterOf(context, parsed.value('--kubeconfig'));
  if (typeof cluster === 'string')
    return failure(1, `error execution phase upload-certs: error uploading certs: ${cluster}\n${STACK_HINT}`);
  const expiresAt = context.world.clock.elapsed() + CERTIFICATE_SECONDS;
  cluster.certificates = { key, expiresAt, files: sharedKeys(context.node) };
  context.world.clusters.changed(cluster);
  const shown = parsed.has('--skip-certificate-key-print') ? '' : `[upload-certs] Using certificate key:\n${key}\n`;
  return ok(
    `[upload-certs] Storing the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace\n${shown}`,
  );
}
