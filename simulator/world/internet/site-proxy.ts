import type { SimNode } from '../world.ts';
import { isKnownHost } from './hosts.ts';
import { type ProxyClient, proxyFor } from './proxy-client.ts';

/** The HTTP proxy of the simulated site, outside of all networks of the cloud. It speaks no TLS itself. */
const SITE_PROXY = { host: '192.0.2.80', port: '3128', user: 'user1', password: 'password1' } as const;

export const SITE_PROXY_URL = `http://${SITE_PROXY.user}:${SITE_PROXY.password}@${SITE_PROXY.host}:${SITE_PROXY.port}`;

/** How far a request of a machine comes on its way out. */
export type Way =
  | { readonly kind: 'open' }
  /** The network of the machine has no way out, and the program does not use the proxy. */
  | { readonly kind: 'no-route' }
  /** The program cannot speak with the proxy: no such name, nothing listens there, no TLS there. */
  | { readonly kind: 'proxy-unknown' | 'proxy-refused' | 'proxy-without-tls'; readonly proxy: URL }
  /** The proxy denies the request. */
  | { readonly kind: 'denied'; readonly status: keyof typeof REASONS; readonly proxy: URL };

export const REASONS = { 403: 'Forbidden', 407: 'Proxy Authentication Required', 503: 'Service Unavailable' } as const;

/**
 * Finds out how far a request comes: through the proxy of the program, or directly. What reaches the proxy stands in
 * the ledger.
 */
export function wayTo(node: SimNode, target: URL, client: ProxyClient | undefined): Way {
  const address = proxyFor(client, target);
  if (client && address !== undefined) return throughProxy(node, target, { address, program: client.program });
  const leavesTheSite = isKnownHost(target.hostname);
  return leavesTheSite && node.world.faults.noWayOut(node.state) ? { kind: 'no-route' } : { kind: 'open' };
}

function throughProxy(
  node: SimNode,
  target: URL,
  { address, program }: { readonly address: string; readonly program: string },
): Way {
  const url = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(url)) return { kind: 'proxy-unknown', proxy: new URL('http://proxy') };
  const proxy = new URL(url);
  if (!/^[\d.]+$/.test(proxy.hostname)) return { kind: 'proxy-unknown', proxy };
  if (proxy.hostname !== SITE_PROXY.host || proxy.port !== SITE_PROXY.port) return { kind: 'proxy-refused', proxy };
  if (proxy.protocol === 'https:') return { kind: 'proxy-without-tls', proxy };
  const status = statusOf(proxy, target);
  const tunnel = target.protocol === 'https:';
  node.world.ledger.record({
    kind: 'proxy',
    where: node.label(),
    what: tunnel ? `CONNECT ${target.hostname}:${target.port || 443}` : `GET ${target.href}`,
    detail: { server: node.id, program, status: status ?? 200 },
  });
  return status === undefined ? { kind: 'open' } : { kind: 'denied', status, proxy };
}

/** The proxy knows the Internet, and lets nobody into the networks of the cloud. */
function statusOf(proxy: URL, { hostname }: URL): keyof typeof REASONS | undefined {
  const isRight =
    decodeURIComponent(proxy.username) === SITE_PROXY.user &&
    decodeURIComponent(proxy.password) === SITE_PROXY.password;
  if (!isRight) return 407;
  if (/^\d+(\.\d+){3}$/.test(hostname)) return 403;
  return isKnownHost(hostname) ? undefined : 503;
}

/** Go's message for a request that does not come out. */
export function goError(way: Exclude<Way, { kind: 'open' }>): string {
  switch (way.kind) {
    case 'no-route':
      return 'dial tcp 203.0.113.10:443: connect: no route to host';
    case 'proxy-unknown':
      return `proxyconnect tcp: dial tcp: lookup ${way.proxy.hostname} on 127.0.0.53:53: no such host`;
    case 'proxy-refused':
      return `proxyconnect tcp: dial tcp ${way.proxy.hostname}:${portOf(way.proxy)}: connect: connection refused`;
    case 'proxy-without-tls':
      return 'proxyconnect tcp: tls: first record does not look like a TLS handshake';
    case 'denied':
      return REASONS[way.status];
  }
}

export function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
