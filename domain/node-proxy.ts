import { z } from 'zod';
import { addressesOfNetwork, isInNetwork, unusableNetwork, withoutHostBits } from './ipv4-network.ts';

/**
 * `proxy` of a VNF's parameters: the way of the nodes to the Internet. The URLs may hold a user name and a
 * password. `checkProxy` says which values a request may have; instances of older releases may have others.
 */
export const ProxyParameters = z.object({
  http_proxy: z.string().optional(),
  https_proxy: z.string().optional(),
  /** Names, addresses and networks that nodes reach without the proxy, comma separated. */
  no_proxy: z.string().optional(),
  /** The network of the nodes: none of its addresses is reached through the proxy. */
  k8s_node_cidr: z.string().optional(),
});
export type ProxyParameters = z.infer<typeof ProxyParameters>;

/** The proxy as the programs on a node need it. */
export interface NodeProxy {
  /** URL of the proxy for http, with its credentials. */
  readonly http?: string;
  /** URL of the proxy for https, with its credentials. */
  readonly https?: string;
  /** What is reached without the proxy: names, addresses and networks, each once. */
  readonly exceptions: readonly string[];
}

/** What a node must reach without the proxy, whatever the request says. */
export interface OwnAddresses {
  /** Networks inside the VNF, such as those of pods and services. */
  readonly networks: readonly string[];
  /** Addresses or names of the node itself, and of what else belongs to the VNF. */
  readonly hosts: readonly string[];
}

/**
 * A list of more addresses than a /20 has would make the environment variable longer than the 128 KiB that Linux
 * allows.
 */
const MOST_ADDRESSES = 4096;
const LOCAL = ['localhost', '127.0.0.1', '::1', '.svc', '.cluster.local'];

/**
 * The proxy of a node. Its exceptions are those of the request, and all that belongs to the VNF. Each address of
 * `k8s_node_cidr` is an exception of its own, because apt and curl before 7.86 do not know networks. A network larger
 * than a /20 stays a network, which kubeadm, kubectl, containerd and docker know.
 * @returns undefined when the request names no proxy
 */
export function nodeProxy(given: ProxyParameters | undefined, own: OwnAddresses): NodeProxy | undefined {
  if (!given?.http_proxy && !given?.https_proxy) return undefined;
  const { http_proxy, https_proxy, no_proxy, k8s_node_cidr } = given;
  const exceptions = [
    ...exceptionsIn(no_proxy).map(withoutHostBits),
    ...LOCAL,
    ...own.hosts,
    ...own.networks,
    ...(k8s_node_cidr ? (addressesOfNetwork(k8s_node_cidr, MOST_ADDRESSES) ?? [withoutHostBits(k8s_node_cidr)]) : []),
  ];
  return {
    ...(http_proxy ? { http: http_proxy } : {}),
    ...(https_proxy ? { https: https_proxy } : {}),
    exceptions: [...new Set(exceptions)].filter(Boolean),
  };
}

function exceptionsIn(noProxy: string | undefined): readonly string[] {
  return (noProxy ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Whether programs written in Go, such as containerd and docker, reach a host without the proxy. */
export function isReachedDirectly(host: string, exceptions: readonly string[]): boolean {
  const name = host.toLowerCase();
  return exceptions.some((given) => {
    const exception = given.toLowerCase();
    if (exception === '*') return true;
    if (exception.includes('/')) return isInNetwork(name, exception);
    const domain = exception.replace(/^\*?\./, '').replace(/:\d+$/, '');
    return name.endsWith(`.${domain}`) || (name === domain && !/^\*?\./.test(exception));
  });
}

/** What is wrong with a member of `proxy`. */
export interface ProxyProblem {
  readonly member: keyof ProxyParameters;
  /** A sentence without subject. It never contains a value that may be a secret. */
  readonly sentence: string;
}

/** Checks `proxy` of a request. An empty text means that the member is not given. */
export function proxyProblem(given: ProxyParameters): ProxyProblem | undefined {
  for (const [member, problemOf] of CHECKS) {
    const value = given[member];
    const sentence = value ? problemOf(value) : undefined;
    if (sentence !== undefined) return { member, sentence };
  }
  return undefined;
}

const CHECKS: readonly (readonly [keyof ProxyParameters, (value: string) => string | undefined])[] = [
  ['http_proxy', urlProblem],
  ['https_proxy', urlProblem],
  ['no_proxy', exceptionsProblem],
  ['k8s_node_cidr', (cidr) => unusableNetwork(cidr)],
];

const LONGEST_URL = 2048;
const LONGEST_EXCEPTIONS = 16_384;
/** Characters of a URL that mean nothing to a shell, to systemd and to apt's configuration. */
const URL_CHARACTERS = /^[A-Za-z0-9.:/@_%~+-]*$/;
const PROXY_URL = /^https?:\/\/(?:([^/@]*)@)?([^/@:]*)(?::([^/@:]*))?\/?$/i;
/** The address in the requests of Tacker's guides. */
const PLACEHOLDER = /@(host\d*:port\d*)\/?$/i;

function urlProblem(url: string): string | undefined {
  if (url.length > LONGEST_URL) return `must not be longer than ${LONGEST_URL} characters`;
  if (!/^https?:\/\//i.test(url)) return 'must be a URL that begins with http:// or https://';
  if (!URL_CHARACTERS.test(url))
    return 'has a character that is not allowed; percent-encode it in a user name or password (a space is %20, @ is %40)';
  if (!arePercentCodes(url)) return 'has a percent sign that begins no code of a printable character; % itself is %25';
  const placeholder = PLACEHOLDER.exec(url)?.[1];
  if (placeholder !== undefined)
    return `${placeholder} is the placeholder of the guides; write host and port of your proxy, or leave proxy out`;
  const [match, userInfo, host = '', port] = PROXY_URL.exec(url) ?? [];
  if (match === undefined)
    return 'must have the form http://USER:PASSWORD@HOST:PORT; percent-encode @ (%40) and / (%2F) in a user name or password';
  if (userInfo !== undefined && !/^[^:]/.test(userInfo)) return 'has an @ but no user name before it';
  if (!isHost(host)) return 'must name a host, or an IPv4 address';
  // without a port curl takes 1080, and the others take 80 or 443
  if (port === undefined) return 'must name a port, because the tools have different defaults';
  if (!isPort(port)) return 'must have a port from 1 to 65535';
  return undefined;
}

function arePercentCodes(url: string): boolean {
  return url
    .split('%')
    .slice(1)
    .every((code) => /^(?:[2-6][0-9a-f]|7[0-9a-e]|[89a-f][0-9a-f])/i.test(code));
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`);

function isHost(text: string): boolean {
  if (text.length > 253 || !NAME.test(text)) return false;
  // a name whose last part is a number is an address to every tool
  return !/(^|\.)\d+$/.test(text) || z.ipv4().safeParse(text).success;
}

function exceptionsProblem(noProxy: string): string | undefined {
  if (noProxy.length > LONGEST_EXCEPTIONS) return `must not be longer than ${LONGEST_EXCEPTIONS} characters`;
  const wrong = exceptionsIn(noProxy).findIndex((part) => !isException(part));
  return wrong < 0
    ? undefined
    : `entry ${wrong + 1} must be a name, a domain such as .example.com, an address, a network such as 192.168.246.0/24, or *`;
}

function isException(part: string): boolean {
  if (part === '*') return true;
  if ([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()].some((form) => form.safeParse(part).success)) return true;
  const [host = '', port, ...more] = part.replace(/^\*?\./, '').split(':');
  return isHost(host) && (port === undefined || isPort(port)) && more.length === 0;
}
