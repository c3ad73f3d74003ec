import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** The configuration files of kubeadm, limited to the fields that the simulator uses. */

const duration = z.string().regex(/^(\d+(\.\d+)?(h|m|s|ms))+$|^0$/);
/** The documents of `v1beta4` have lists of arguments and `timeouts`; those of earlier versions have maps, and single fields. */
function documentsOf(isNew: boolean) {
  const extraArgs = isNew
    ? z.array(z.looseObject({ name: z.string(), value: z.string() }))
    : z.record(z.string(), z.string());
  const nodeRegistration = z.strictObject({
    name: z.string().optional(),
    criSocket: z.string().optional(),
    taints: z
      .array(z.looseObject({ key: z.string() }))
      .nullable()
      .optional(),
    kubeletExtraArgs: extraArgs.optional(),
    ignorePreflightErrors: z.array(z.string()).optional(),
    imagePullPolicy: z.string().optional(),
  });
  const localAPIEndpoint = z.strictObject({ advertiseAddress: z.string().optional(), bindPort: z.number().optional() });

  const init = z.strictObject({
    apiVersion: z.string(),
    kind: z.literal('InitConfiguration'),
    bootstrapTokens: z
      .array(
        z.strictObject({
          token: z.string().regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/),
          ttl: duration.optional(),
          expires: z.string().optional(),
          description: z.string().optional(),
          usages: z.array(z.string()).optional(),
          groups: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    nodeRegistration: nodeRegistration.optional(),
    localAPIEndpoint: localAPIEndpoint.optional(),
    certificateKey: z.string().optional(),
    skipPhases: z.array(z.string()).optional(),
    patches: z.unknown().optional(),
    timeouts: isNew ? z.record(z.string(), duration).optional() : z.undefined().optional(),
  });

  const cluster = z.strictObject({
    apiVersion: z.string(),
    kind: z.literal('ClusterConfiguration'),
    clusterName: z.string().optional(),
    kubernetesVersion: z.string().optional(),
    controlPlaneEndpoint: z.string().optional(),
    imageRepository: z.string().optional(),
    certificatesDir: z.string().optional(),
    networking: z
      .strictObject({
        podSubnet: z.string().optional(),
        serviceSubnet: z.string().optional(),
        dnsDomain: z.string().optional(),
      })
      .optional(),
    apiServer: z
      .looseObject({
        certSANs: z.array(z.string()).optional(),
        timeoutForControlPlane: isNew ? z.undefined().optional() : duration.optional(),
        extraArgs: extraArgs.optional(),
        extraVolumes: z
          .array(
            z.strictObject({
              name: z.string(),
              hostPath: z.string(),
              mountPath: z.string(),
              readOnly: z.boolean().optional(),
              pathType: z.string().optional(),
            }),
          )
          .optional(),
      })
      .optional(),
    controllerManager: z.looseObject({}).optional(),
    scheduler: z.looseObject({}).optional(),
    dns: z.looseObject({}).optional(),
    etcd: z
      .strictObject({
        local: z.looseObject({ dataDir: z.string().optional() }).optional(),
        external: z.unknown().optional(),
      })
      .optional(),
    featureGates: z.record(z.string(), z.boolean()).optional(),
  });

  const join = z.strictObject({
    apiVersion: z.string(),
    kind: z.literal('JoinConfiguration'),
    nodeRegistration: nodeRegistration.optional(),
    caCertPath: z.string().optional(),
    discovery: z.strictObject({
      bootstrapToken: z
        .strictObject({
          token: z.string().optional(),
          apiServerEndpoint: z.string().optional(),
          caCertHashes: z.array(z.string()).optional(),
          unsafeSkipCAVerification: z.boolean().optional(),
        })
        .optional(),
      file: z.unknown().optional(),
      tlsBootstrapToken: z.string().optional(),
      timeout: isNew ? z.undefined().optional() : duration.optional(),
    }),
    controlPlane: z
      .strictObject({ localAPIEndpoint: localAPIEndpoint.optional(), certificateKey: z.string().optional() })
      .nullable()
      .optional(),
    skipPhases: z.array(z.string()).optional(),
    patches: z.unknown().optional(),
    timeouts: isNew ? z.record(z.string(), duration).optional() : z.undefined().optional(),
  });
  return { init, cluster, join };
}

const OLD = documentsOf(false);
const NEW = documentsOf(true);

export type InitDocument = z.infer<typeof OLD.init>;
export type ClusterDocument = z.infer<typeof OLD.cluster>;
export type JoinDocument = z.infer<typeof OLD.join>;

export interface KubeadmConfig {
  readonly init?: InitDocument;
  readonly cluster?: ClusterDocument;
  readonly join?: JoinDocument;
}

/** The first and last minor version of kubeadm that reads each version of the configuration (v1beta3 is deprecated since 1.31). */
const VERSIONS: Readonly<Record<string, readonly [number, number]>> = {
  'kubeadm.k8s.io/v1beta2': [15, 26],
  'kubeadm.k8s.io/v1beta3': [22, 33],
  'kubeadm.k8s.io/v1beta4': [31, 99],
};

const FOREIGN = new Set([
  'KubeletConfiguration',
  'KubeProxyConfiguration',
  'ResetConfiguration',
  'UpgradeConfiguration',
]);

export class ConfigError extends Error {}

/**
 * Parses a configuration file.
 * @param minor minor version of the kubeadm that reads it
 * @throws ConfigError with kubeadm's message
 */
export function parseConfig(text: string, minor: number): KubeadmConfig {
  const config: { init?: InitDocument; cluster?: ClusterDocument; join?: JoinDocument } = {};
  for (const document of parseAllDocuments(text)) {
    if ('errors' in document && document.errors.length > 0) {
      throw new ConfigError(`error converting YAML to JSON: yaml: ${document.errors[0]?.message.split('\n')[0] ?? ''}`);
    }
    const value: unknown = 'toJSON' in document ? document.toJSON() : document;
    const { apiVersion, kind } = z
      .looseObject({ apiVersion: z.string().default(''), kind: z.string().default('') })
      .parse(value ?? {});
    if (kind === '' || apiVersion === '')
      throw new ConfigError(
        'invalid configuration for GroupVersionKind /, Kind=: kind and apiVersion is mandatory information that must be specified',
      );
    if (FOREIGN.has(kind)) continue;
    const range = VERSIONS[apiVersion];
    if (!range || minor < range[0] || minor > range[1]) {
      throw new ConfigError(
        `no kind "${kind}" is registered for version "${apiVersion}" in scheme "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme/scheme.go:31"`,
      );
    }
    const { init, cluster, join } = apiVersion.endsWith('/v1beta4') ? NEW : OLD;
    if (kind === 'InitConfiguration') config.init = check(init, value, kind);
    else if (kind === 'ClusterConfiguration') config.cluster = check(cluster, value, kind);
    else if (kind === 'JoinConfiguration') config.join = check(join, value, kind);
    else throw new ConfigError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  }
  return config;
}

function check<T>(schema: z.ZodType<T>, value: unknown, kind: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  const what =
    issue?.code === 'unrecognized_keys'
      ? `unknown field "${[...issue.path, ...issue.keys].join('.')}"`
      : `${where}: ${issue?.message ?? ''}`;
  throw new ConfigError(`error unmarshaling configuration ${kind}: strict decoding error: ${what}`);
}

/** Converts `1h30m`, `2m0s` or `0` to seconds. */
export function goDuration(text: string): number {
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    seconds += Number(amount) * ({ h: 3600, m: 60, s: 1, ms: 0.001 }[unit ?? 's'] ?? 0);
  }
  return seconds;
}
