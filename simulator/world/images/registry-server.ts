import type { View } from '../files/view.ts';
import { type Blob, digestOf, MANIFEST_TYPE } from './image.ts';
import { mayEnter, type RegistryLogin } from './registry-login.ts';

/** A request to a registry. */
export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST';
  /** With the query. */
  readonly path: string;
  /** One character per byte. */
  readonly body?: string;
  /** The Authorization header. */
  readonly authorization?: string | undefined;
}

export interface RegistryAnswer {
  readonly status: number;
  /** One character per byte. */
  readonly body: string;
  /** The WWW-Authenticate header of an answer that asks for a login. */
  readonly challenge?: string;
}

const NAME = '[a-z0-9]+(?:[._/-]+[a-z0-9]+)*';
const ROUTES = {
  manifest: new RegExp(`^/v2/(${NAME})/manifests/([\\w.:-]+)$`),
  blob: new RegExp(`^/v2/(${NAME})/blobs/(sha256:[0-9a-f]{64})$`),
  upload: new RegExp(`^/v2/(${NAME})/blobs/uploads/$`),
  tags: new RegExp(`^/v2/(${NAME})/tags/list$`),
} as const;

/**
 * The registry API (distribution 2.8), on a directory of a machine with the layout of the real one: its content outlives
 * the container. Without deletion.
 */
export class RegistryServer {
  readonly #files: View;
  readonly #root: string;
  readonly #login: RegistryLogin | undefined;

  /**
   * @param directory on the machine that is `/var/lib/registry` in the container
   * @param login who may use the registry. Undefined: everyone
   */
  constructor(files: View, directory: string, login?: RegistryLogin) {
    this.#files = files;
    this.#root = `${directory}/docker/registry/v2`;
    this.#login = login;
  }

  answer(request: RegistryRequest): RegistryAnswer {
    const { method, path, body = '', authorization } = request;
    if (this.#login && !mayEnter(this.#login, authorization)) return unauthorized(this.#login);
    const { pathname, searchParams } = new URL(path, 'http://registry');
    const reads = method === 'GET' || method === 'HEAD';
    if (pathname === '/v2/' && reads) return json(200, {});
    if (pathname === '/v2/_catalog' && reads) return this.#catalog(Number(searchParams.get('n') ?? '100'));
    const [, tagged] = ROUTES.tags.exec(pathname) ?? [];
    if (tagged !== undefined && reads) return this.#tags(tagged);
    const [, repository = '', reference = ''] = ROUTES.manifest.exec(pathname) ?? [];
    if (repository !== '') {
      if (method === 'PUT') return this.#putManifest(repository, reference, body);
      if (reads) return this.#manifest(repository, reference);
    }
    const [, holder = '', digest = ''] = ROUTES.blob.exec(pathname) ?? [];
    if (holder !== '' && reads) return this.#blob(holder, digest);
    const [, target] = ROUTES.upload.exec(pathname) ?? [];
    if (target !== undefined && method === 'POST') {
      return this.#putBlob(target, { digest: searchParams.get('digest') ?? '', bytes: body });
    }
    return { status: 404, body: '404 page not found\n' };
  }

  #catalog(most: number): RegistryAnswer {
    return json(200, { repositories: this.#repositories('').sort().slice(0, most) });
  }

  /** A repository is a directory with `_manifests`; its name may have several parts. */
  #repositories(below: string): string[] {
    const directory = `${this.#root}/repositories${below === '' ? '' : `/${below}`}`;
    return this.#list(directory).flatMap((name) => {
      if (name === '_manifests') return [below];
      return name.startsWith('_') ? [] : this.#repositories(below === '' ? name : `${below}/${name}`);
    });
  }

  #tags(repository: string): RegistryAnswer {
    const directory = this.#directoryOf(repository);
    if (!this.#files.exists(`${directory}/_manifests`)) return unknownName(repository);
    const tags = this.#list(`${directory}/_manifests/tags`).sort();
    return json(200, { name: repository, tags: tags.length === 0 ? null : tags });
  }

  #manifest(repository: string, reference: string): RegistryAnswer {
    const directory = `${this.#directoryOf(repository)}/_manifests`;
    const digest = reference.startsWith('sha256:')
      ? this.#read(`${directory}/revisions/${fileOf(reference)}/link`)
      : this.#read(`${directory}/tags/${reference}/current/link`);
    const bytes = digest === undefined ? undefined : this.#read(this.#blobPath(digest));
    return bytes === undefined
      ? problem(404, 'MANIFEST_UNKNOWN', 'manifest unknown', { Tag: reference })
      : { status: 200, body: bytes };
  }

  #putManifest(repository: string, reference: string, bytes: string): RegistryAnswer {
    const missing = blobsNamedIn(bytes)?.filter((digest) => this.#blob(repository, digest).status !== 200);
    if (missing === undefined) return problem(400, 'MANIFEST_INVALID', 'manifest invalid', {});
    if (missing.length > 0) return problem(400, 'MANIFEST_BLOB_UNKNOWN', 'blob unknown to registry', missing[0] ?? '');
    const digest = digestOf(bytes);
    const directory = `${this.#directoryOf(repository)}/_manifests`;
    this.#write(this.#blobPath(digest), bytes);
    this.#write(`${directory}/revisions/${fileOf(digest)}/link`, digest);
    if (!reference.startsWith('sha256:')) this.#write(`${directory}/tags/${reference}/current/link`, digest);
    return { status: 201, body: '' };
  }

  #blob(repository: string, digest: string): RegistryAnswer {
    const link = this.#read(`${this.#directoryOf(repository)}/_layers/${fileOf(digest)}/link`);
    const bytes = link === undefined ? undefined : this.#read(this.#blobPath(digest));
    return bytes === undefined
      ? problem(404, 'BLOB_UNKNOWN', 'blob unknown to registry', digest)
      : { status: 200, body: bytes };
  }

  #putBlob(repository: string, { digest, bytes }: Blob): RegistryAnswer {
    if (digestOf(bytes) !== digest) {
      return problem(400, 'DIGEST_INVALID', 'provided digest did not match uploaded content', digest);
    }
    this.#write(this.#blobPath(digest), bytes);
    this.#write(`${this.#directoryOf(repository)}/_layers/${fileOf(digest)}/link`, digest);
    return { status: 201, body: '' };
  }

  #directoryOf(repository: string): string {
    return `${this.#root}/repositories/${repository}`;
  }

  #blobPath(digest: string): string {
    const [algorithm = '', hex = ''] = digest.split(':');
    return `${this.#root}/blobs/${algorithm}/${hex.slice(0, 2)}/${hex}/data`;
  }

  #list(directory: string): string[] {
    return this.#files.exists(directory) ? this.#files.list(directory) : [];
  }

  #read(path: string): string | undefined {
    return this.#files.exists(path) ? this.#files.read(path) : undefined;
  }

  #write(path: string, bytes: string): void {
    this.#files.makeDirectory(path.slice(0, path.lastIndexOf('/')), true);
    this.#files.write(path, bytes);
  }
}

/** `sha256:abc` → `sha256/abc` */
function fileOf(digest: string): string {
  return digest.replace(':', '/');
}

/** The blobs that a manifest names. Undefined when it is none. A list of manifests names no blobs. */
function blobsNamedIn(text: string): string[] | undefined {
  try {
    const manifest = JSON.parse(text) as {
      readonly mediaType?: string;
      readonly config?: { readonly digest: string };
      readonly layers?: readonly { readonly digest: string }[];
    };
    if (manifest.mediaType !== MANIFEST_TYPE) return [];
    return [manifest.config?.digest ?? '', ...(manifest.layers ?? []).map(({ digest }) => digest)];
  } catch {
    return undefined;
  }
}

function json(status: number, value: unknown): RegistryAnswer {
  return { status, body: `${JSON.stringify(value)}\n` };
}

function problem(status: number, code: string, message: string, detail: unknown): RegistryAnswer {
  return json(status, { errors: [{ code, message, detail }] });
}

function unauthorized({ realm }: RegistryLogin): RegistryAnswer {
  const challenge = `Basic realm="${realm}"`;
  return { ...problem(401, 'UNAUTHORIZED', 'authentication required', null), challenge };
}

function unknownName(name: string): RegistryAnswer {
  return problem(404, 'NAME_UNKNOWN', 'repository name not known to registry', { name });
}
