import { answerOf, type HttpClient } from '../cluster/endpoints.ts';
import type { SimNode } from '../world.ts';
import { addressOf } from './address.ts';
import { artefactAt } from './artefacts.ts';
import { etcdPeerAnswer, type PeerCaller } from './etcd-peer.ts';
import { isKnownHost } from './hosts.ts';
import { type ApiCaller, kubeApiAnswer } from './kube-api.ts';
import { type ProxyClient, proxyFor } from './proxy-client.ts';
import { portOf, REASONS, type Way, wayTo } from './site-proxy.ts';
import { siteFile } from './sites.ts';

/** The answer to a request. `failed` means that there is no HTTP answer; its codes are curl's. */
export type Answer = (
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly location?: string;
      readonly challenge?: string;
    }
  | { readonly kind: 'failed'; readonly code: 3 | 5 | 6 | 7 | 18 | 28 | 35 | 52 | 56 | 60; readonly reason: string }
) & {
  /** The status with which a proxy answered to CONNECT. Undefined when it was not asked to. */
  readonly connected?: number;
};

/** Whether a URL leads to a machine of the simulated network, so that an answer takes next to no time. */
export function isNearby(node: SimNode, url: string): boolean {
  const host = parse(url)?.hostname ?? '';
  return addressOf(node, host) !== undefined;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** The credentials of a client, and its proxy settings. Without settings it connects directly. */
export interface Caller extends ApiCaller, PeerCaller, HttpClient {
  readonly proxies?: ProxyClient;
}

/** Sends a GET request from a machine. @param url without a scheme it is http, as in curl */
export function request(node: SimNode, url: string, caller: Caller = {}): Answer {
  const target = parse(/^[a-z]+:\/\//i.test(url) ? url : `http://${url}`);
  if (!target) return { kind: 'failed', code: 3, reason: 'URL using bad/illegal format or missing URL' };
  const way = wayTo(node, target, caller.proxies);
  if (way.kind !== 'open') return stopped(way, target);
  const answer = answerAt(node, target, { url, caller });
  const tunnel = target.protocol === 'https:' && proxyFor(caller.proxies, target) !== undefined;
  return tunnel ? { ...answer, connected: 200 } : answer;
}

/** The answer of the machine or the site to which a URL leads. */
function answerAt(
  node: SimNode,
  target: URL,
  { url, caller }: { readonly url: string; readonly caller: Caller },
): Answer {
  const address = caller.resolved?.get(`${target.hostname}:${portOf(target)}`) ?? addressOf(node, target.hostname);
  if (address !== undefined) {
    const fromApi = kubeApiAnswer(node, target, caller);
    if (fromApi) return fromApi;
    const fromPeer = etcdPeerAnswer(node, target, caller);
    if (fromPeer) return fromPeer;
    const { status, body, challenge, broken } = answerOf(node, url.replace(target.hostname, address), {
      host: target.hostname,
      client: caller,
    });
    if (!broken) return { kind: 'answer', status, body, ...(challenge === undefined ? {} : { challenge }) };
    return { kind: 'failed', code: knownCode(broken.code), reason: broken.text };
  }
  if (!isKnownHost(target.hostname))
    return { kind: 'failed', code: 6, reason: `Could not resolve host: ${target.hostname}` };
  return fromInternet(target.href);
}

/** curl's result for a request that does not come out. */
function stopped(way: Exclude<Way, { kind: 'open' }>, target: URL): Answer {
  const failed = (code: Extract<Answer, { kind: 'failed' }>['code'], reason: string): Answer => ({
    kind: 'failed',
    code,
    reason,
  });
  switch (way.kind) {
    case 'no-route':
      return failed(
        7,
        `Failed to connect to ${target.hostname} port ${portOf(target)} after 3062 ms: No route to host`,
      );
    case 'proxy-unknown':
      return failed(5, `Could not resolve proxy: ${way.proxy.hostname}`);
    case 'proxy-refused':
      return failed(
        7,
        `Failed to connect to ${way.proxy.hostname} port ${portOf(way.proxy)} after 0 ms: Connection refused`,
      );
    case 'proxy-without-tls':
      return failed(35, 'error:0A00010B:SSL routines::wrong version number');
    case 'denied':
      if (target.protocol === 'https:')
        return { ...failed(56, `Received HTTP code ${way.status} from proxy after CONNECT`), connected: way.status };
      return { kind: 'answer', status: way.status, body: `<html><title>${REASONS[way.status]}</title></html>\n` };
  }
}

function knownCode(code: number): Extract<Answer, { kind: 'failed' }>['code'] {
  return [3, 6, 7, 28, 35, 52, 60].includes(code) ? (code as 7) : 7;
}

/** Sites that redirect requests for releases. A client that does not follow redirections gets an empty file. */
const REDIRECTED: readonly { readonly from: RegExp; readonly to: string }[] = [
  { from: /^https:\/\/github\.com\/[^/]+\/[^/]+\/releases\/download\//, to: 'https://objects.githubusercontent.com/?' },
  { from: /^https:\/\/dl\.k8s\.io\//, to: 'https://cdn.dl.k8s.io/?' },
  { from: /^https:\/\/pkgs\.k8s\.io\//, to: 'https://prod-cdn.packages.k8s.io/?' },
];

function fromInternet(url: string): Answer {
  const behind = REDIRECTED.find(({ to }) => url.startsWith(to));
  const original = behind ? decodeURIComponent(url.slice(behind.to.length)) : secure(url);
  const body = artefactAt(original)?.bytes ?? siteFile(original);
  if (body === undefined) return { kind: 'answer', status: 404, body: 'Not Found' };
  const redirection = REDIRECTED.find(({ from }) => from.test(original));
  if (behind || !redirection) return { kind: 'answer', status: 200, body };
  return { kind: 'answer', status: 302, body: '', location: `${redirection.to}${encodeURIComponent(original)}` };
}

/** Changes http to https, because these sites redirect to https. */
function secure(url: string): string {
  return url.replace(/^http:\/\/(?!archive|security|nova)/, 'https://');
}
