import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { z } from 'zod';
import type { SimNode } from '../world.ts';
import type { ClusterState } from './clusters.ts';
import { MANIFESTS } from './static-pods.ts';

/** What kubeadm shows to every API server of the machine's files. */
const ALWAYS_MOUNTED = ['/etc/kubernetes/pki/', '/etc/ssl/certs/'];
const SECRETBOX_BYTES = [32];
const AES_BYTES = [16, 24, 32];

const Key = z.object({ name: z.string().min(1), secret: z.base64() });
const Keys = z.object({ keys: z.array(Key).min(1) });
const EncryptionConfiguration = z.object({
  apiVersion: z.literal('apiserver.config.k8s.io/v1'),
  kind: z.literal('EncryptionConfiguration'),
  resources: z
    .array(
      z.object({
        resources: z.array(z.string()),
        providers: z.array(z.partialRecord(z.enum(['secretbox', 'aescbc', 'aesgcm', 'identity']), z.unknown())).min(1),
      }),
    )
    .min(1),
});
const Policy = z.object({
  apiVersion: z.literal('audit.k8s.io/v1'),
  kind: z.literal('Policy'),
  rules: z.array(z.looseObject({ level: z.enum(['None', 'Metadata', 'Request', 'RequestResponse']) })).min(1),
});

/** Whether the cluster has anything that makes these questions worth asking. */
function isPlain({ apiServer, secretsKey }: ClusterState): boolean {
  return apiServer === undefined && secretsKey === undefined;
}

/**
 * Why the API server of a machine does not stay up: a file of its flags is missing, is not in its container, or makes
 * no sense. Undefined when it runs.
 */
export function apiServerProblem(node: SimNode, cluster: ClusterState): string | undefined {
  if (isPlain(cluster)) return undefined;
  const manifest = manifestOf(node);
  const policy = flagIn(manifest, 'audit-policy-file');
  const log = flagIn(manifest, 'audit-log-path');
  if (policy !== undefined) {
    const text = mountedText(node, manifest, policy);
    if (text === undefined) return `failed to read file path "${policy}": no such file or directory`;
    if (!Policy.safeParse(parse(text)).success) return 'failed decoding: audit policy';
  }
  if (log !== undefined && !isMounted(manifest, log)) return `ensureLogFile: open ${log}: read-only file system`;
  const config = flagIn(manifest, 'encryption-provider-config');
  if (config === undefined) return undefined;
  const text = mountedText(node, manifest, config);
  if (text === undefined)
    return `error opening encryption provider configuration file "${config}": no such file or directory`;
  return keysIn(text) === undefined ? 'error while parsing encryption provider configuration file' : undefined;
}

/** The key that the API server of a machine encrypts new Secrets with. Undefined: it writes them in the clear. */
export function writingKey(node: SimNode, cluster: ClusterState): string | undefined {
  if (isPlain(cluster)) return undefined;
  const [first] = keysOf(node);
  return first === 'identity' ? undefined : first;
}

/** Whether the API server of a machine can read the Secrets in etcd. */
export function readsSecrets(node: SimNode, cluster: ClusterState): boolean {
  return cluster.secretsKey === undefined || keysOf(node).includes(cluster.secretsKey);
}

function keysOf(node: SimNode): readonly string[] {
  const manifest = manifestOf(node);
  const config = flagIn(manifest, 'encryption-provider-config');
  const text = config === undefined ? undefined : mountedText(node, manifest, config);
  return (text === undefined ? undefined : keysIn(text)) ?? [];
}

/** The keys for Secrets in a configuration, the one that writes first. Undefined when an API server would refuse it. */
function keysIn(text: string): string[] | undefined {
  const parsed = EncryptionConfiguration.safeParse(parse(text)).data;
  const providers = parsed?.resources.find(({ resources }) => resources.includes('secrets'))?.providers;
  if (!providers) return undefined;
  const found: string[] = [];
  for (const provider of providers) {
    const [[name, body] = ['', undefined]] = Object.entries(provider);
    if (name === 'identity') {
      found.push(name);
      continue;
    }
    const { keys } = Keys.safeParse(body).data ?? {};
    const sizes = name === 'secretbox' ? SECRETBOX_BYTES : AES_BYTES;
    if (!keys?.every(({ secret }) => sizes.includes(Buffer.from(secret, 'base64').length))) return undefined;
    for (const { name: key, secret } of keys)
      found.push(`${name}:${key}:${createHash('sha256').update(secret).digest('hex')}`);
  }
  return found;
}

function manifestOf({ root }: SimNode): string {
  const file = `${MANIFESTS}/kube-apiserver.yaml`;
  return root.exists(file) ? root.readText(file) : '';
}

function flagIn(manifest: string, flag: string): string | undefined {
  return new RegExp(`^ *- --${flag}=(.+)$`, 'm').exec(manifest)?.[1];
}

function isMounted(manifest: string, file: string): boolean {
  const volumes = [...manifest.matchAll(/^ *path: (.+)$/gm)].map(([, path = '']) => path);
  return (
    ALWAYS_MOUNTED.some((path) => file.startsWith(path)) ||
    volumes.some((path) => file === path || file.startsWith(`${path}/`))
  );
}

function mountedText({ root }: SimNode, manifest: string, file: string): string | undefined {
  return isMounted(manifest, file) && root.exists(file) ? root.readText(file) : undefined;
}
