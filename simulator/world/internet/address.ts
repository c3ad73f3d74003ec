import type { SimNode } from '../world.ts';

/** The address of a host name, as the machine resolves it. Undefined when only the Internet may know it. */
export function addressOf(node: SimNode, host: string): string | undefined {
  if (/^\d+(\.\d+){3}$/.test(host)) return host;
  if (host === 'localhost' || host === node.state.hostname) return '127.0.0.1';
  const line = node.root
    .readText('/etc/hosts')
    .split('\n')
    .find((text) => text.includes(host) && text.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(host));
  return line?.trim().split(/\s+/)[0];
}
