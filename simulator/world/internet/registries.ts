import type { SimNode } from '../world.ts';
import { goClient } from './proxy-client.ts';
import { isReleased } from './releases.ts';
import { request } from './request.ts';
import { goError, wayTo } from './site-proxy.ts';

/** The reason why an image cannot be pulled, in the runtime's words. */
export interface ImageProblem {
  readonly reason: string;
}

const PUBLIC = new Set(
  'docker.io registry.k8s.io k8s.gcr.io gcr.io ghcr.io quay.io public.ecr.aws mcr.microsoft.com'.split(' '),
);

/** Returns the full name of an image: `redis` is `docker.io/library/redis:latest`. */
export function normalImage(image: string): string {
  const [name = '', digest] = image.split('@');
  const first = name.split('/')[0] ?? '';
  const hasRegistry = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const full = hasRegistry ? name : name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`;
  const tagged = /:[^/]+$/.test(full) || digest !== undefined ? full : `${full}:latest`;
  return digest === undefined ? tagged : `${tagged}@${digest}`;
}

/**
 * Returns why a runtime on this machine cannot pull an image. Undefined when it can.
 * @param client decides which settings apply: docker's daemon.json, or containerd's certs.d
 */
export function imageProblem(node: SimNode, image: string, client: 'docker' | 'containerd'): ImageProblem | undefined {
  if (!/^[a-z0-9][\w./:@-]*$/.test(image)) return { reason: `invalid reference format` };
  const full = normalImage(image);
  const host = full.slice(0, full.indexOf('/'));
  const wanted = { host, full, client };
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

/** Returns the error of the container runtime interface for a pull that cannot succeed. Undefined when it can. */
export function pullRefusal(node: SimNode, image: string): string | undefined {
  const problem = imageProblem(node, image, 'containerd');
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
}

/**
 * Checks an image of a registry on another machine. The registry speaks plain HTTP, so the runtime needs a setting for
 * it.
 */
function privateProblem(node: SimNode, { host, full, client }: Wanted): ImageProblem | undefined {
  const answer = request(node, `http://${host}/v2/`);
  const head = headOf({ host, full });
  if (answer.kind === 'failed') {
    const reason =
      answer.code === 6
        ? `dial tcp: lookup ${host.replace(/:.*/, '')}: Temporary failure in name resolution`
        : `dial tcp ${host}: connect: connection refused`;
    return { reason: `failed to resolve reference "${full}": failed to do request: ${head}: ${reason}` };
  }
  if (!mayUsePlainHttp(node, host, client)) {
    return {
      reason: `failed to resolve reference "${full}": failed to do request: ${head}: http: server gave HTTP response to HTTPS client`,
    };
  }
  return undefined;
}

function mayUsePlainHttp({ root }: SimNode, host: string, client: 'docker' | 'containerd'): boolean {
  if (/^(localhost|127\.)/.test(host)) return true;
  const text = (path: string) => (root.exists(path) ? root.readText(path) : '');
  if (client === 'docker') return text('/etc/docker/daemon.json').includes(`"${host}"`);
  const config = /config_path\s*=\s*"([^"]+)"/.exec(text('/etc/containerd/config.toml'))?.[1];
  return config !== undefined && text(`${config}/${host}/hosts.toml`).includes(`"http://${host}"`);
}
