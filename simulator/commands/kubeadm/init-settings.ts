import { randomBytes } from 'node:crypto';
import type { ApiServerExtras } from '../../world/cluster/clusters.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import type { CommandContext, parseArguments } from '../shell/command.ts';
import { ConfigError, goDuration, type KubeadmConfig, parseConfig } from './config.ts';
import { minorOf } from './images.ts';

const TOKEN_SECONDS = 86_400;

/** The settings of `kubeadm init`, from its flags or its file. */
export interface Settings {
  readonly name: string;
  readonly address: string;
  readonly version: string;
  readonly endpoint: string;
  readonly repository: string;
  readonly podSubnet: string;
  readonly serviceSubnet: string;
  readonly dnsDomain: string;
  readonly certSans: readonly string[];
  readonly apiServer: ApiServerExtras | undefined;
  readonly token: string;
  readonly tokenSeconds: number | null;
  readonly certificateKey: string;
}

export function randomToken(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const pick = (count: number) => Array.from(randomBytes(count), (byte) => letters[byte % letters.length]).join('');
  return `${pick(6)}.${pick(16)}`;
}

export function readConfig(path: string, context: CommandContext): KubeadmConfig {
  if (!context.node.root.exists(path)) {
    throw new ConfigError(`unable to read config from "${path}": open ${path}: no such file or directory`);
  }
  const minor = minorOf(installedProgram(context.node, 'kubeadm')?.version ?? '1.26.0');
  return parseConfig(context.files.readText(path), minor);
}

function apiServerExtras(given: NonNullable<KubeadmConfig['cluster']>['apiServer']): ApiServerExtras | undefined {
  const { extraArgs, extraVolumes: volumes = [] } = given ?? {};
  if (extraArgs === undefined && volumes.length === 0) return undefined;
  const pairs = Array.isArray(extraArgs)
    ? extraArgs.map(({ name, value }) => [name, value] as const)
    : Object.entries(extraArgs ?? {});
  return { arguments: Object.fromEntries(pairs), volumes };
}

/**
 * Reads the settings from the command line.
 * @throws ConfigError when the file cannot be read or has a field that this version does not support
 */
export function settings(parsed: ReturnType<typeof parseArguments>, context: CommandContext): Settings {
  const file = parsed.value('--config');
  const { init = undefined, cluster = undefined } = file === undefined ? {} : readConfig(context.path(file), context);
  const own = installedProgram(context.node, 'kubeadm')?.version ?? '';
  const address =
    init?.localAPIEndpoint?.advertiseAddress ??
    parsed.value('--apiserver-advertise-address') ??
    context.node.state.machine.ports[0]?.address ??
    '';
  const [token] = init?.bootstrapTokens ?? [];
  const ttl = token?.ttl ?? parsed.value('--token-ttl');
  const seconds = ttl === undefined ? TOKEN_SECONDS : goDuration(ttl);
  const version = cluster?.kubernetesVersion ?? parsed.value('--kubernetes-version') ?? own;
  const endpoint = cluster?.controlPlaneEndpoint ?? parsed.value('--control-plane-endpoint') ?? `${address}:6443`;
  return {
    name: init?.nodeRegistration?.name ?? parsed.value('--node-name') ?? context.node.state.hostname,
    address,
    version: version.startsWith('v') ? version : `v${version}`,
    endpoint: endpoint.includes(':') ? endpoint : `${endpoint}:6443`,
    repository: cluster?.imageRepository ?? parsed.value('--image-repository') ?? 'registry.k8s.io',
    podSubnet: cluster?.networking?.podSubnet ?? parsed.value('--pod-network-cidr') ?? '',
    serviceSubnet: cluster?.networking?.serviceSubnet ?? parsed.value('--service-cidr') ?? '10.96.0.0/12',
    dnsDomain: cluster?.networking?.dnsDomain ?? 'cluster.local',
    certSans: [
      ...(cluster?.apiServer?.certSANs ?? []),
      ...(parsed.value('--apiserver-cert-extra-sans')?.split(',') ?? []),
    ],
    apiServer: apiServerExtras(cluster?.apiServer),
    token: token?.token ?? parsed.value('--token') ?? randomToken(),
    tokenSeconds: seconds === 0 ? null : seconds,
    certificateKey: init?.certificateKey ?? parsed.value('--certificate-key') ?? randomBytes(32).toString('hex'),
  };
}
