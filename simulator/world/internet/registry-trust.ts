import type { SimNode } from '../world.ts';
import { systemAuthorities } from './tls.ts';

/** What the settings of a container runtime allow for a registry. */
export interface RegistryTrust {
  readonly plainHttp: boolean;
  readonly anyCertificate: boolean;
  /** In PEM. */
  readonly authorities: readonly string[];
}

/** Docker's `insecure-registries` allow plain HTTP and any certificate; `certs.d` names authorities of a registry. */
export function dockerTrust(node: SimNode, host: string): RegistryTrust {
  const { root } = node;
  const settings = '/etc/docker/daemon.json';
  const directory = `/etc/docker/certs.d/${host}`;
  const isInsecure = isLocal(host) || (root.exists(settings) && root.readText(settings).includes(`"${host}"`));
  const files = root.exists(directory) ? root.list(directory).filter((name) => name.endsWith('.crt')) : [];
  const authorities = files.map((name) => root.readText(`${directory}/${name}`));
  return {
    plainHttp: isInsecure,
    anyCertificate: isInsecure,
    authorities: [...systemAuthorities(node), ...authorities],
  };
}

/** A line of containerd's `hosts.toml` allows plain HTTP. */
export function containerdTrust(node: SimNode, host: string): RegistryTrust {
  const text = (path: string) => (node.root.exists(path) ? node.root.readText(path) : '');
  const config = /config_path\s*=\s*"([^"]+)"/.exec(text('/etc/containerd/config.toml'))?.[1];
  const isNamed = config !== undefined && text(`${config}/${host}/hosts.toml`).includes(`"http://${host}"`);
  return { plainHttp: isLocal(host) || isNamed, anyCertificate: false, authorities: systemAuthorities(node) };
}

function isLocal(host: string): boolean {
  return /^(localhost|127\.)/.test(host);
}
