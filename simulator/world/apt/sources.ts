import { FileError } from '../files/tree.ts';
import { isKnownHost } from '../internet/hosts.ts';
import { DOCKER_KEY, KUBERNETES_KEY, keyId, keysIn, type SigningKey, withoutArmour } from '../internet/signing-keys.ts';
import type { SimNode } from '../world.ts';
import { DOCKER_PACKAGES } from './docker.ts';
import { kubernetesPackages } from './kubernetes.ts';
import type { DebianPackage } from './package.ts';
import { UBUNTU_PACKAGES } from './ubuntu.ts';

/** One `deb` line: a repository of the machine. */
export interface Source {
  readonly uri: string;
  readonly suite: string;
  readonly signedBy: string | undefined;
  readonly trusted: boolean;
}

/** The packages of a repository and its signing key. The key is undefined when the image trusts it already. */
export interface Repository {
  readonly packages: readonly DebianPackage[];
  readonly key: SigningKey | undefined;
}

const LINE = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)/gm;

/** All repositories in /etc/apt/sources.list and sources.list.d, in apt's order. */
export function sourcesOf({ root }: SimNode): readonly Source[] {
  const directory = '/etc/apt/sources.list.d';
  const files = root.exists(directory) ? root.list(directory).map((name) => `${directory}/${name}`) : [];
  const lists = ['/etc/apt/sources.list', ...files].filter((path) => path.endsWith('.list') && root.exists(path));
  const lines = lists.flatMap((path) => [...root.readText(path).matchAll(LINE)]);
  const oneLine = lines.map(
    ([, options = '', uri = '', suite = '']): Source => ({
      uri: uri.replace(/\/+$/, ''),
      suite,
      signedBy: /signed-by=(\S+)/.exec(options)?.[1],
      trusted: /trusted=yes/.test(options),
    }),
  );
  const stanzas = files
    .filter((path) => path.endsWith('.sources'))
    .flatMap((path) => root.readText(path).split(/\n\s*\n/));
  return [...oneLine, ...stanzas.flatMap(stanzaSources)];
}

/** Reads a stanza of a deb822 file. */
function stanzaSources(text: string): readonly Source[] {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(text)?.[1] ?? '';
  if (!/\bdeb\b/.test(field('Types')) || /^no$/i.test(field('Enabled'))) return [];
  return field('URIs')
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((uri) =>
      field('Suites')
        .split(/\s+/)
        .filter(Boolean)
        .map((suite) => ({
          uri: uri.replace(/\/+$/, ''),
          suite,
          signedBy: field('Signed-By') || undefined,
          trusted: /^yes$/i.test(field('Trusted')),
        })),
    );
}

/** Path of apt's list of a repository. */
export function listPath({ uri, suite }: Source): string {
  const name = `${uri.replace(/^[a-z]+:\/\//, '')}/${suite === '/' ? '' : `dists/${suite}`}`;
  return `/var/lib/apt/lists/${name.replaceAll('/', '_').replace(/_+$/, '')}_Packages`;
}

export function describeSource({ uri, suite }: Source): string {
  return suite === '/' ? `${uri} ` : `${uri} ${suite}`;
}

/** Finds the repository at the address of a source. Undefined when there is none. */
export function repositoryAt({ uri, suite }: Source): Repository | undefined {
  if (/^https?:\/\/([a-z0-9.-]+\.)?(archive|security)\.ubuntu\.com\/ubuntu$/.test(uri)) {
    return /^jammy(-updates|-security|-backports)?$/.test(suite)
      ? { packages: [...UBUNTU_PACKAGES.values()], key: undefined }
      : undefined;
  }
  const minor = /^https?:\/\/pkgs\.k8s\.io\/core:\/stable:\/v(\d+\.\d+)\/deb$/.exec(uri)?.[1];
  const packages = minor === undefined || suite !== '/' ? undefined : kubernetesPackages(minor);
  if (packages) return { packages, key: KUBERNETES_KEY };
  if (/^https:\/\/download\.docker\.com\/linux\/ubuntu$/.test(uri) && suite === 'jammy')
    return { packages: DOCKER_PACKAGES, key: DOCKER_KEY };
  return undefined;
}

export function hostOf({ uri }: Source): string {
  return URL.canParse(uri) ? new URL(uri).hostname : uri;
}

export function isReachable(source: Source): boolean {
  return isKnownHost(hostOf(source));
}

/** Returns why this machine does not accept the signature of a repository. Undefined when it does. */
export function signatureProblem({ root }: SimNode, source: Source, key: SigningKey | undefined): string | undefined {
  if (key === undefined || source.trusted) return undefined;
  const files = source.signedBy === undefined ? trustedFiles(root) : [source.signedBy];
  const usable = files.flatMap((path) => readKeyFile(root, path));
  if (usable.some(({ fingerprint }) => fingerprint === key.fingerprint)) return undefined;
  return `NO_PUBKEY ${keyId(key)}`;
}

function trustedFiles(root: SimNode['root']): readonly string[] {
  const directory = '/etc/apt/trusted.gpg.d';
  return root.exists(directory) ? root.list(directory).map((name) => `${directory}/${name}`) : [];
}

/**
 * Reads a key file. apt reads armoured keys from .asc files and binary keys from .gpg files, and ignores the wrong
 * form.
 */
function readKeyFile(root: SimNode['root'], path: string): readonly SigningKey[] {
  try {
    const bytes = root.read(path);
    const armoured = withoutArmour(bytes) !== undefined;
    return armoured === path.endsWith('.asc') ? keysIn(bytes) : [];
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}
