import { portsOf, runningContainers, serverOn } from '../images/published-ports.ts';
import type { ProxyClient } from '../internet/proxy-client.ts';
import { proxyFor } from '../internet/proxy-client.ts';
import { goError, wayTo } from '../internet/site-proxy.ts';
import { systemAuthorities, tlsProblem } from '../internet/tls.ts';
import { addressesOf, isUp } from '../nodes/node.ts';
import { activeState, kubeletRuns } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import { apiServerProblem, readsSecrets } from './api-server-files.ts';
import type { ClusterState } from './clusters.ts';
import { clusterOnNode, hasQuorum, memberRuns } from './etcd.ts';
import { haproxyConfig } from './haproxy.ts';
import { runsComponent } from './static-pods.ts';

/** A connection that reached an API server, or the reason why it failed. */
export type Reached =
  | { readonly cluster: ClusterState; readonly server: SimNode }
  | {
      readonly problem: 'refused' | 'no-route' | 'no-host' | 'eof' | 'no-quorum';
      readonly host: string;
      readonly port: number;
    }
  /** The client asks a proxy for the connection, and gets none. */
  | { readonly problem: 'proxy'; readonly reason: string };

/** Returns the cluster of the API server on this machine. `no-quorum`: the server listens, but etcd does not answer. */
function apiServerOn(node: SimNode): ClusterState | 'no-quorum' | undefined {
  if (!isUp(node) || !runsComponent(node, 'kube-apiserver')) return undefined;
  const found = clusterOnNode(node.world, node);
  if (!found || !memberRuns(node.world, found.cluster, found.member)) return undefined;
  if (apiServerProblem(node, found.cluster) !== undefined) return undefined;
  return hasQuorum(node.world, found.cluster) ? found.cluster : 'no-quorum';
}

/** Finds the machine behind a host name or address, as `from` resolves it. */
export function hostNode(from: SimNode, host: string): SimNode | undefined | 'no-host' {
  if (host === '127.0.0.1' || host === 'localhost') return from;
  if (/^[\d.]+$/.test(host)) return addressesOf(from).includes(host) ? from : from.world.nodeAt(host);
  const line = from.root
    .readText('/etc/hosts')
    .split('\n')
    .find((text) => text.split(/\s+/).slice(1).includes(host));
  const address = line?.split(/\s+/)[0];
  return address === undefined ? 'no-host' : hostNode(from, address);
}

/**
 * Opens a connection to an API server, directly or through a load balancer.
 * @param client the proxy settings of the program. Undefined when it has none
 */
export function reachApi(from: SimNode, endpoint: string, client?: ProxyClient): Reached {
  const at = endpoint.lastIndexOf(':');
  const host = at < 0 ? endpoint : endpoint.slice(0, at);
  const port = at < 0 ? 443 : Number(endpoint.slice(at + 1));
  const fail = (problem: Exclude<Broken['problem'], 'proxy'>): Reached => ({ problem, host, port });
  if (!isUp(from)) return fail('no-route');
  const target = new URL(`https://${host}:${port}`);
  if (proxyFor(client, target) !== undefined) {
    const way = wayTo(from, target, client);
    if (way.kind !== 'open') return { problem: 'proxy', reason: goError(way) };
  }
  const node = hostNode(from, host);
  if (node === 'no-host') return fail('no-host');
  if (!node || !isUp(node)) return fail('no-route');
  if (port === 6443) {
    const cluster = apiServerOn(node);
    if (cluster === 'no-quorum') return fail('no-quorum');
    return cluster ? { cluster, server: node } : fail('refused');
  }
  if (activeState(node, 'haproxy') !== 'active') return fail('refused');
  const config = haproxyConfig(node);
  const frontend = config?.frontends.find((candidate) => candidate.port === port);
  if (!config || !frontend) return fail('refused');
  for (const { host: address, port: target } of config.backends[frontend.backend] ?? []) {
    const backend = hostNode(node, address);
    const cluster = backend && backend !== 'no-host' && target === 6443 ? apiServerOn(backend) : undefined;
    // the balancer asks for /readyz
    if (backend && backend !== 'no-host' && cluster && cluster !== 'no-quorum' && readsSecrets(backend, cluster))
      return { cluster, server: backend };
  }
  return fail('eof');
}

type Broken = Extract<Reached, { problem: string }>;

/** Returns Go's error message for a failed connection. */
export function dialError(broken: Broken): string {
  if (broken.problem === 'proxy') return broken.reason;
  const { problem, host, port } = broken;
  switch (problem) {
    case 'refused':
      return `dial tcp ${host}:${port}: connect: connection refused`;
    case 'no-route':
      return `dial tcp ${host}:${port}: connect: no route to host`;
    case 'no-host':
      return `dial tcp: lookup ${host} on 127.0.0.53:53: no such host`;
    case 'eof':
      return 'EOF';
    case 'no-quorum':
      return 'context deadline exceeded';
  }
}

/** Lists the TCP ports on which a process listens. */
export function listeningPorts(node: SimNode): readonly { readonly port: number; readonly process: string }[] {
  const ports = [{ port: 22, process: 'sshd' }];
  if (kubeletRuns(node)) ports.push({ port: 10250, process: 'kubelet' }, { port: 10248, process: 'kubelet' });
  if (runsComponent(node, 'kube-apiserver')) ports.push({ port: 6443, process: 'kube-apiserver' });
  if (runsComponent(node, 'kube-controller-manager')) ports.push({ port: 10257, process: 'kube-controller' });
  if (runsComponent(node, 'kube-scheduler')) ports.push({ port: 10259, process: 'kube-scheduler' });
  if (runsComponent(node, 'etcd')) ports.push({ port: 2379, process: 'etcd' }, { port: 2380, process: 'etcd' });
  if (activeState(node, 'haproxy') === 'active') {
    for (const { port } of haproxyConfig(node)?.frontends ?? []) ports.push({ port, process: 'haproxy' });
  }
  for (const [, container] of runningContainers(node)) {
    for (const { port } of portsOf(container)) ports.push({ port, process: 'docker-proxy' });
  }
  return ports;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  /** The WWW-Authenticate header. */
  readonly challenge?: string;
  readonly broken?: { readonly code: number; readonly text: string };
}

const broken = (code: number, text: string): Answer => ({ status: 0, body: '', broken: { code, text } });

/** What the client of a request gives besides the URL. */
export interface HttpClient {
  /** The Authorization header. */
  readonly authorization?: string;
  /** PEM of the only trusted authorities. Undefined: those of the machine. */
  readonly authority?: string;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
  /** Addresses of `host:port` that are not looked up. */
  readonly resolved?: ReadonlyMap<string, string>;
}

/**
 * Answers HTTP GET for an address inside the simulated network.
 * @param host the name or address that the client has, and that a certificate must be for
 */
export function answerOf(
  from: SimNode,
  url: string,
  { host, client }: { readonly host: string; readonly client: HttpClient },
): Answer {
  const { hostname, port, pathname, search } = new URL(url);
  const number = Number(port || (url.startsWith('https') ? 443 : 80));
  const node = hostNode(from, hostname);
  const refused = broken(7, `Failed to connect to ${hostname} port ${number} after 0 ms: Connection refused`);
  if (node === 'no-host') return broken(6, `Could not resolve host: ${hostname}`);
  if (!node || !isUp(node))
    return broken(7, `Failed to connect to ${hostname} port ${number} after 3000 ms: No route to host`);
  if (number === 10248) return kubeletRuns(node) ? { status: 200, body: 'ok' } : refused;
  if (number === 2381) return etcdHealth(node) ?? refused;
  const server = serverOn(node, number, node === from);
  if (server === 'silent') return broken(52, 'Empty reply from server');
  if (server) {
    const { api, certificate } = server;
    const problem = connectionProblem(from, url, { host, client, certificate });
    return problem ?? api.answer({ method: 'GET', path: `${pathname}${search}`, authorization: client.authorization });
  }
  const reached = reachApi(from, `${hostname}:${number}`);
  if ('problem' in reached) {
    if (reached.problem === 'no-quorum') return { status: 500, body: readyz(false, search.includes('verbose')) };
    if (reached.problem === 'eof')
      return broken(35, `OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to ${hostname}`);
    return refused;
  }
  if (['/readyz', '/livez', '/healthz'].includes(pathname))
    return readsSecrets(reached.server, reached.cluster)
      ? { status: 200, body: readyz(true, search.includes('verbose')) }
      : { status: 500, body: UNSYNCED };
  if (pathname === '/version') return { status: 200, body: `{\n  "gitVersion": "${reached.cluster.version}"\n}` };
  return {
    status: 403,
    body: '{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}',
  };
}

/** The answer of a registry to a client that does not come as far as the API. */
function connectionProblem(
  from: SimNode,
  url: string,
  {
    host,
    client,
    certificate,
  }: { readonly host: string; readonly client: HttpClient; readonly certificate: string | undefined },
): Answer | undefined {
  const isTls = url.startsWith('https:');
  if (certificate === undefined) {
    return isTls ? broken(35, 'error:0A00010B:SSL routines::wrong version number') : undefined;
  }
  if (!isTls) return { status: 400, body: 'Client sent an HTTP request to an HTTPS server.\n' };
  if (client.insecure === true) return undefined;
  const authorities = client.authority === undefined ? systemAuthorities(from) : [client.authority];
  const problem = tlsProblem(certificate, host, authorities);
  return problem && broken(60, problem.openssl);
}

/** What /readyz of an API server says that cannot read the Secrets: its own watch of them does not come up. */
export const UNSYNCED =
  '[+]ping ok\n[+]log ok\n[+]etcd ok\n[-]informer-sync failed: reason withheld\nreadyz check failed\n';

export function readyz(healthy: boolean, verbose: boolean): string {
  if (healthy && !verbose) return 'ok';
  const etcd = healthy
    ? '[+]etcd ok\n[+]etcd-readiness ok'
    : '[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld';
  return `[+]ping ok\n[+]log ok\n${etcd}\n[+]informer-sync ok\n[+]poststarthook/start-kube-apiserver-admission-initializer ok\n[+]poststarthook/rbac/bootstrap-roles ok\n[+]shutdown ok\nreadyz check ${healthy ? 'passed' : 'failed'}\n`;
}

function etcdHealth(node: SimNode): Answer | undefined {
  const found = clusterOnNode(node.world, node);
  if (!found || !memberRuns(node.world, found.cluster, found.member)) return undefined;
  return hasQuorum(node.world, found.cluster)
    ? { status: 200, body: '{"health":"true","reason":""}' }
    : { status: 503, body: '{"health":"false","reason":"RAFT NO LEADER"}' };
}
