import { answerOf } from '../cluster/endpoints.ts';
import type { SimNode } from '../world.ts';
import { artefactAt } from './artefacts.ts';
import { type ApiCaller, kubeApiAnswer } from './kube-api.ts';
import { siteFile } from './sites.ts';

/** The answer to a request. `failed` means that there is no HTTP answer; its codes are curl's. */
export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly location?: string }
  | { readonly kind: 'failed'; readonly code: 3 | 6 | 7 | 28 | 35 | 52 | 60; readonly reason: string };

/** Host names that the simulated DNS resolves, besides those of the machines. */
const HOSTS = new Set(
  'github.com objects.githubusercontent.com raw.githubusercontent.com pkgs.k8s.io prod-cdn.packages.k8s.io dl.k8s.io cdn.dl.k8s.io get.helm.sh download.docker.com registry.k8s.io registry-1.docker.io quay.io ghcr.io gcr.io archive.ubuntu.com security.ubuntu.com nova.clouds.archive.ubuntu.com'.split(
    ' ',
  ),
);

export function isKnownHost(host: string): boolean {
  return HOSTS.has(host);
}

/** Whether a URL leads to a machine of the simulated network, so that an answer takes next to no time. */
export function isNearby(node: SimNode, url: string): boolean {
  const host = parse(url)?.hostname ?? '';
  return addressOf(node, host) !== undefined;
}

function addressOf(node: SimNode, host: string): string | undefined {
  if (/^\d+(\.\d+){3}$/.test(host)) return host;
  if (host === 'localhost' || host === node.state.hostname) return '127.0.0.1';
  const line = node.root
    .readText('/etc/hosts')
    .split('\n')
    .find((text) => text.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(host));
  return line?.trim().split(/\s+/)[0];
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Sends a GET request from a machine. @param url without a scheme it is http, as in curl */
export function request(node: SimNode, url: string, caller: ApiCaller = {}): Answer {
  const target = parse(/^[a-z]+:\/\//i.test(url) ? url : `http://${url}`);
  if (!target) return { kind: 'failed', code: 3, reason: 'URL using bad/illegal format or missing URL' };
  const address = addressOf(node, target.hostname);
  if (address !== undefined) {
    const fromApi = kubeApiAnswer(node, target, caller);
    if (fromApi) return fromApi;
    const { status, body, broken } = answerOf(node, url.replace(target.hostname, address));
    if (!broken) return { kind: 'answer', status, body };
    return { kind: 'failed', code: knownCode(broken.code), reason: broken.text };
  }
  if (!HOSTS.has(target.hostname))
    return { kind: 'failed', code: 6, reason: `Could not resolve host: ${target.hostname}` };
  return fromInternet(target.href);
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
