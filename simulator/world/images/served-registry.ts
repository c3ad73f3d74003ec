import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SimNode } from '../world.ts';
import type { RegistryLogin } from './registry-login.ts';
import { RegistryServer } from './registry-server.ts';

/** A registry in a container, as its port shows it. */
export interface ServedRegistry {
  readonly api: RegistryServer;
  /** The certificate in PEM. Undefined when the registry speaks plain HTTP. */
  readonly certificate: string | undefined;
  /** The private key of the certificate, in PEM. */
  readonly key?: string | undefined;
}

type Options = Readonly<Record<string, string>>;

const DATA = '/var/lib/registry';

/**
 * The registry of a container. Undefined when its program ends: a file that its settings name is missing or wrong.
 * @param options of the container, as `docker run` keeps them
 */
export function servedRegistry(node: SimNode, options: Options): ServedRegistry | undefined {
  const settings = settingsOf(options);
  const certificate = certificateOf(node, options, settings);
  const login = loginOf(node, options, settings);
  if (certificate === 'broken' || login === 'broken') return undefined;
  const data = machinePath(options, DATA) ?? `/var/lib/docker/volumes/${options['id'] ?? ''}/_data`;
  return {
    api: new RegistryServer(node.root, data, login),
    certificate: certificate?.certificate,
    key: certificate?.key,
  };
}

type Settings = ReadonlyMap<string, string>;

/** The environment of the container, by which a registry is configured. */
function settingsOf(options: Options): Settings {
  const lines = (options['environment'] ?? '').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.replace(/=.*/s, ''), line.replace(/^[^=]*=/, '')]));
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

function certificateOf(node: SimNode, options: Options, settings: Settings): Pair | 'broken' | undefined {
  const file = settings.get('REGISTRY_HTTP_TLS_CERTIFICATE');
  if (file === undefined) return undefined;
  const certificate = readFile(node, options, file);
  const key = readFile(node, options, settings.get('REGISTRY_HTTP_TLS_KEY') ?? '');
  if (certificate === undefined || key === undefined) return 'broken';
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : 'broken';
  } catch {
    return 'broken';
  }
}

function loginOf(node: SimNode, options: Options, settings: Settings): RegistryLogin | 'broken' | undefined {
  if (settings.get('REGISTRY_AUTH') !== 'htpasswd') return undefined;
  const realm = settings.get('REGISTRY_AUTH_HTPASSWD_REALM');
  const htpasswd = readFile(node, options, settings.get('REGISTRY_AUTH_HTPASSWD_PATH') ?? '');
  return realm === undefined || htpasswd === undefined ? 'broken' : { realm, htpasswd };
}

function readFile(node: SimNode, options: Options, inContainer: string): string | undefined {
  const path = machinePath(options, inContainer);
  return path !== undefined && node.root.exists(path) ? node.root.readText(path) : undefined;
}

/** Where a path of the container is on the machine: below a mounted directory, or in docker's own volume. */
function machinePath({ volumes = '' }: Options, inContainer: string): string | undefined {
  for (const [source = '', target = ''] of volumes.split(',').map((text) => text.split(':'))) {
    if (target === '' || (inContainer !== target && !inContainer.startsWith(`${target}/`))) continue;
    const directory = source.startsWith('/') ? source : `/var/lib/docker/volumes/${source}/_data`;
    return `${directory}${inContainer.slice(target.length)}`;
  }
  return undefined;
}
