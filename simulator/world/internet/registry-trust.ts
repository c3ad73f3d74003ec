import type { SimNode } from '../world.ts';
import { readHostsToml } from './hosts-toml.ts';
import { systemAuthorities } from './tls.ts';

/** Where a container runtime asks for the images of a registry, and what it allows there. */
export interface RegistryEndpoint {
  /** `host[:port]`. */
  readonly host: string;
  readonly http: boolean;
  readonly https: boolean;
  readonly anyCertificate: boolean;
  /** In PEM. */
  readonly authorities: readonly string[];
}

/** The endpoints of a registry in the order in which they are tried, or why the runtime cannot tell them. */
export type RegistryEndpoints = readonly RegistryEndpoint[] | { readonly problem: string };

/** Docker's `insecure-registries` allow plain HTTP and any certificate; `certs.d` names authorities of a registry. */
export function dockerEndpoints(node: SimNode, host: string): RegistryEndpoints {
  const { root } = node;
  const settings = '/etc/docker/daemon.json';
  const directory = `/etc/docker/certs.d/${host}`;
  const isInsecure = isLocal(host) || (root.exists(settings) && root.readText(settings).includes(`"${host}"`));
  const files = root.exists(directory) ? root.list(directory).filter((name) => name.endsWith('.crt')) : [];
  const authorities = files.map((name) => root.readText(`${directory}/${name}`));
  return [
    {
      host,
      http: isInsecure,
      https: true,
      anyCertificate: isInsecure,
      authorities: [...systemAuthorities(node), ...authorities],
    },
  ];
}

/**
 * containerd reads `hosts.toml` at each pull, in the directory of the registry below its `config_path`. It reads the
 * path itself at its start only.
 */
export function containerdEndpoints(node: SimNode, host: string): RegistryEndpoints {
  const own = { host, http: isLocal(host), https: true, anyCertificate: false, authorities: systemAuthorities(node) };
  const config = /^\s*config_path\s*=\s*"([^"]+)"/m.exec(node.state.units['containerd']?.loaded ?? '')?.[1];
  const path = `${config}/${host}/hosts.toml`;
  if (config === undefined || !node.root.exists(path)) return [own];
  const hosts = readHostsToml(node.root.readText(path), `https://${host}`);
  if (hosts === undefined) return { problem: `failed to parse hosts file: ${path}: toml: expected value` };
  return hosts
    .filter(({ capabilities }) => ['pull', 'resolve'].every((one) => capabilities.includes(one)))
    .map(({ url, ca, skipVerify }) => ({
      host: url.replace(/^https?:\/\//, ''),
      http: url.startsWith('http://'),
      https: url.startsWith('https://'),
      anyCertificate: skipVerify,
      authorities: [...systemAuthorities(node), ...ca.flatMap((file) => textsOf(node, file))],
    }));
}

function textsOf({ root }: SimNode, file: string): readonly string[] {
  return root.exists(file) ? [root.readText(file)] : [];
}

function isLocal(host: string): boolean {
  return /^(localhost|127\.)/.test(host);
}
