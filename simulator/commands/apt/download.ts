import type { ProxyClient } from '../../world/internet/proxy-client.ts';
import { portOf, REASONS, wayTo } from '../../world/internet/site-proxy.ts';
import type { SimNode } from '../../world/world.ts';

/** Why apt gets a file not. */
export interface Refusal {
  /** In apt's words. */
  readonly reason: string;
  /** True when the reason is an HTTP answer to the request for the file. apt takes it for the repository's. */
  readonly isAnswer: boolean;
}

/** Asks for a file of a repository. @returns why it does not come, or undefined when it does */
export function findDownloadRefusal(node: SimNode, url: string, client: ProxyClient): Refusal | undefined {
  if (!URL.canParse(url)) return undefined;
  const target = new URL(url);
  const way = wayTo(node, target, client);
  const noConnection = (reason: string): Refusal => ({ reason, isAnswer: false });
  switch (way.kind) {
    case 'open':
      return undefined;
    case 'no-route':
      return noConnection(
        `Could not connect to ${target.hostname}:${portOf(target)} (203.0.113.10). - connect (113: No route to host)`,
      );
    case 'proxy-unknown':
      return noConnection(`Could not resolve '${way.proxy.hostname}'`);
    case 'proxy-refused': {
      const { hostname } = way.proxy;
      return noConnection(
        `Could not connect to ${hostname}:${portOf(way.proxy)} (${hostname}). - connect (111: Connection refused)`,
      );
    }
    case 'proxy-without-tls':
      return noConnection('Could not handshake: An unexpected TLS packet was received.');
    case 'denied': {
      const place = `[IP: ${way.proxy.hostname} ${portOf(way.proxy)}]`;
      const words = `${way.status}  ${REASONS[way.status]}`;
      if (target.protocol === 'http:') return { reason: `${words} ${place}`, isAnswer: true };
      return noConnection(`Invalid response from proxy: HTTP/1.1 ${words.replace('  ', ' ')}     ${place}`);
    }
  }
}
