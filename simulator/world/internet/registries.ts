import { gunzipSync } from 'node:zlib';
import { hostNode } from '../cluster/endpoints.ts';
import { type Image, publicImage } from '../images/image.ts';
import { normalImage, partsOf } from '../images/image-name.ts';
import { serverOn } from '../images/published-ports.ts';
import type { RegistryServer } from '../images/registry-server.ts';
import { isUp } from '../nodes/node.ts';
import type { SimNode } from '../world.ts';
import { addressOf } from './address.ts';
import { goClient } from './proxy-client.ts';
import { containerdEndpoints, dockerEndpoints, type RegistryEndpoint } from './registry-trust.ts';
import { isReleased } from './releases.ts';
import { goError, wayTo } from './site-proxy.ts';
import { tlsProblem } from './tls.ts';

/** The reason why an image cannot be pulled, in the runtime's words. */
export interface ImageProblem {
  readonly reason: string;
}

const PUBLIC = new Set(
  'docker.io registry.k8s.io k8s.gcr.io gcr.io ghcr.io quay.io public.ecr.aws mcr.microsoft.com'.split(' '),
);

/**
 * Returns why a runtime on this machine cannot pull an image. Undefined when it can.
 * @param client decides which settings apply: docker's daemon.json, or containerd's certs.d
 * @param authorization the header with which the client logs in
 */
export function imageProblem(
  node: SimNode,
  image: string,
  client: 'docker' | 'containerd',
  authorization?: string,
): ImageProblem | undefined {
  if (!/^[a-z0-9][\w./:@-]*$/.test(image)) return { reason: `invalid reference format` };
  const full = normalImage(image);
  const host = full.slice(0, full.indexOf('/'));
  const wanted = { host, full, client, authorization };
  const way = wayTo(
    node,
    new URL(`https://${host}/v2/`),
    goClient(client, node.state.units[client]?.environment ?? {}),
  );
  if (way.kind !== 'open') return { reason: refusedRequest(wanted, goError(way)) };
  return PUBLIC.has(host) ? publicProblem(full) : privateProblem(node, wanted);
}

/** The words of the client for a request to a registry that got no answer. */
function refusedRequest({ host, full, client }: Wanted, cause: string): string {
  if (client === 'docker') return `Get "https://${host === 'docker.io' ? 'registry-1.docker.io' : host}/v2/": ${cause}`;
  return `failed to resolve reference "${full}": failed to do request: ${headOf({ host, full })}: ${cause}`;
}

function headOf({ host, full }: Pick<Wanted, 'host' | 'full'>): string {
  const name = full.slice(host.length + 1).replace(/:[^:/]+$/, '');
  return `Head "https://${host}/v2/${name}/manifests/${full.slice(full.lastIndexOf(':') + 1)}"`;
}

/**
 * Returns the error of the container runtime interface for a pull that cannot succeed. Undefined when it can.
 * @param authorization the login that the client of the runtime hands over
 */
export function pullRefusal(node: SimNode, image: string, authorization?: string): string | undefined {
  const problem = imageProblem(node, image, 'containerd', authorization);
  return (
    problem &&
    `rpc error: code = Unknown desc = failed to pull and unpack image "${normalImage(image)}": ${problem.reason}`
  );
}

/**
 * Checks an image of a public registry. The images of Kubernetes in registry.k8s.io are a closed list; any other image
 * exists.
 */
function publicProblem(full: string): ImageProblem | undefined {
  const [, version] = /^(?:registry\.k8s\.io|k8s\.gcr\.io)\/kube-[a-z-]+:v?(.*)$/.exec(full) ?? [];
  if (version === undefined || isReleased('kubernetes', version)) return undefined;
  return { reason: `failed to resolve reference "${full}": ${full}: not found: manifest unknown` };
}

interface Wanted {
  readonly host: string;
  readonly full: string;
  readonly client: 'docker' | 'containerd';
  readonly authorization?: string | undefined;
}

/** A registry on a machine, as a runtime on another machine reaches it; or why it does not. */
export type ReachedRegistry =
  | { readonly kind: 'reached'; readonly server: Pick<RegistryServer, 'answer'> }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Connects to a registry on a machine. The runtime needs a setting for one that speaks plain HTTP, or has a certificate
 * of an authority of its own.
 * @param host `host[:port]`
 * @param authorization the header with which the runtime logs in
 */
export function reachRegistry(
  node: SimNode,
  host: string,
  client: 'docker' | 'containerd',
  authorization?: string,
): ReachedRegistry {
  const endpoints = ENDPOINTS[client](node, host);
  if ('problem' in endpoints) return { kind: 'failed', reason: endpoints.problem };
  let first: ReachedRegistry | undefined;
  for (const endpoint of endpoints) {
    const reached = reachEndpoint(node, endpoint, authorization);
    if (reached.kind === 'reached') return reached;
    first ??= reached;
  }
  return first ?? { kind: 'failed', reason: `no host of ${host} can be pulled from` };
}

const ENDPOINTS = { docker: dockerEndpoints, containerd: containerdEndpoints } as const;

function reachEndpoint(node: SimNode, endpoint: RegistryEndpoint, authorization: string | undefined): ReachedRegistry {
  const { host } = endpoint;
  const fail = (reason: string): ReachedRegistry => ({ kind: 'failed', reason });
  const [name = '', given = endpoint.https ? '443' : '80'] = host.split(':');
  const port = Number(given);
  const address = addressOf(node, name);
  if (address === undefined) return fail(`dial tcp: lookup ${name}: Temporary failure in name resolution`);
  const other = hostNode(node, address);
  if (!other || other === 'no-host' || !isUp(other)) return fail(`dial tcp ${host}: connect: no route to host`);
  const server = serverOn(other, port, other === node);
  if (server === undefined) return fail(`dial tcp ${host}: connect: connection refused`);
  if (server === 'silent') return fail('EOF');
  const { api, certificate } = server;
  if (certificate === undefined && !endpoint.http) return fail('http: server gave HTTP response to HTTPS client');
  if (certificate !== undefined && !endpoint.https) return fail('unexpected status code 400 Bad Request');
  const problem =
    certificate === undefined || endpoint.anyCertificate
      ? undefined
      : tlsProblem(certificate, name, endpoint.authorities);
  if (problem) return fail(problem.go);
  return { kind: 'reached', server: { answer: (request) => api.answer({ ...request, authorization }) } };
}

/** Checks an image of a registry on another machine. */
function privateProblem(node: SimNode, wanted: Wanted): ImageProblem | undefined {
  const { host, full, client, authorization } = wanted;
  const reached = reachRegistry(node, host, client, authorization);
  if (reached.kind === 'failed') return { reason: refusedRequest(wanted, reached.reason) };
  const { repository, reference } = partsOf(full);
  const { status } = reached.server.answer({ method: 'HEAD', path: `/v2/${repository}/manifests/${reference}` });
  if (status === 200) return undefined;
  if (status === 401) return { reason: refusedLogin(wanted) };
  return {
    reason:
      client === 'docker'
        ? `manifest for ${full} not found: manifest unknown: manifest unknown`
        : `failed to resolve reference "${full}": ${full}: not found`,
  };
}

/** The words of the client for a registry that does not let it in. */
function refusedLogin(wanted: Wanted): string {
  const { host, full, client, authorization } = wanted;
  if (client === 'docker') {
    return authorization === undefined
      ? `${headOf(wanted)}: no basic auth credentials`
      : `${headOf(wanted)}: unauthorized: authentication required`;
  }
  const { reference } = partsOf(full);
  return `failed to resolve reference "${full}": pulling from host ${host} failed with status code [manifests ${reference}]: 401 Unauthorized`;
}

/**
 * The image behind a name, for a machine that may pull it (`imageProblem`).
 * @throws Error when a registry on a machine has no such image
 */
export function fetchImage(
  node: SimNode,
  full: string,
  client: 'docker' | 'containerd',
  authorization?: string,
): Image {
  const { host, repository, reference } = partsOf(full);
  if (PUBLIC.has(host)) return publicImage(full);
  const reached = reachRegistry(node, host, client, authorization);
  if (reached.kind === 'failed') throw new Error(reached.reason);
  const read = (path: string) => reached.server.answer({ method: 'GET', path: `/v2/${repository}/${path}` }).body;
  const manifest = JSON.parse(read(`manifests/${reference}`)) as {
    readonly config: { readonly digest: string };
    readonly layers: readonly { readonly digest: string }[];
  };
  const unpacked = (digest: string) => gunzipSync(Buffer.from(read(`blobs/${digest}`), 'latin1')).toString('latin1');
  return {
    config: read(`blobs/${manifest.config.digest}`),
    layers: manifest.layers.map(({ digest }) => unpacked(digest)),
  };
}
