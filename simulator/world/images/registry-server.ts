import { randomUUID } from 'node:crypto';
import { FileError } from '../files/tree.ts';
import type { View } from '../files/view.ts';
import { type Blob, digestOf, MANIFEST_TYPE } from './image.ts';
import { mayEnter, type RegistryLogin } from './registry-login.ts';

/** A request to a registry. */
export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH';
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
  readonly headers?: Readonly<Record<string, string>>;
}

const NAME = '[a-z0-9]+(?:[._/-]+[a-z0-9]+)*';
const ROUTES = {
  manifest: new RegExp(`^/v2/(${NAME})/manifests/([\\w.:-]+)$`),
  blob: new RegExp(`^/v2/(${NAME})/blobs/(sha256:[0-9a-f]{64})$`),
  uploads: new RegExp(`^/v2/(${NAME})/blobs/uploads/$`),
  upload: new RegExp(`^/v2/(${NAME})/blobs/uploads/([0-9a-f-]{36})$`),
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
    try {
      return this.#answer(request);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== 'ENOSPC') throw error;
      const detail = { DriverName: 'filesystem', Enclosed: { Op: 'write', Path: error.path, Err: 28 } };
      return problem(500, 'UNKNOWN', 'unknown error', detail);
    }
  }

  #answer({ method, path, body = '', authorization }: RegistryRequest): RegistryAnswer {
    if (this.#login && !mayEnter(this.#login, authorization)) return unauthorized(this.#login);
    const { pathname, searchParams } = new URL(path, 'http://registry');
    const reads = method === 'GET' || method === 'HEAD';
    if (pathname === '/v2/' && reads) return json(200, {});
    if (pathname === '/v2/_catalog' && reads) {
      return this.#catalog(Number(searchParams.get('n') ?? '100'), searchParams.get('last') ?? '');
    }
    const [, tagged] = ROUTES.tags.exec(pathname) ?? [];
    if (tagged !== undefined && reads) return this.#tags(tagged);
    const [, repository = '', reference = ''] = ROUTES.manifest.exec(pathname) ?? [];
    if (repository !== '') {
      if (method === 'PUT') return this.#putManifest(repository, reference, body);
      if (reads) return this.#manifest(repository, reference);
    }
    const [, holder = '', digest = ''] = ROUTES.blob.exec(pathname) ?? [];
    if (holder !== '' && reads) return this.#blob(holder, digest);
    const [, target] = ROUTES.uploads.exec(pathname) ?? [];
    if (target !== undefined && method === 'POST') return this.#beginUpload(target, searchParams, body);
    const [, into, upload = ''] = ROUTES.upload.exec(pathname) ?? [];
    if (into !== undefined && (method === 'PATCH' || method === 'PUT')) {
      return this.#goOnUpload(into, { upload, bytes: body, digest: searchParams.get('digest') });
    }
    return { status: 404, body: '404 page not found\n' };
  }

  #catalog(most: number, last: string): RegistryAnswer {
    const names = this.#repositories('')
      .sort()
      .filter((name) => name > last);
    const page = names.slice(0, most);
    const more = names.length > page.length && page.length > 0;
    const next = `</v2/_catalog?last=${encodeURIComponent(page.at(-1) ?? '')}&n=${most}>; rel="next"`;
    return { ...json(200, { repositories: page }), ...(more ? { headers: { Link: next } } : {}) };
  }

  /** `digest` in the query: all of the blob is in the body. `mount` and `from`: another repository has it. */
  #beginUpload(repository: string, query: URLSearchParams, bytes: string): RegistryAnswer {
    const digest = query.get('digest');
    if (digest !== null) return this.#putBlob(repository, { digest, bytes });
    const mounted = query.get('mount') ?? '';
    if (mounted !== '' && this.#blob(query.get('from') ?? '', mounted).status === 200) {
      this.#linkBlob(repository, mounted);
      return { status: 201, body: '', headers: { 'Docker-Content-Digest': mounted } };
    }
    const upload = randomUUID();
    this.#write(this.#uploadPath(repository, upload), '');
    return uploadStands(repository, upload);
  }

  #goOnUpload(
    repository: string,
    { upload, bytes, digest }: { readonly upload: string; readonly bytes: string; readonly digest: string | null },
  ): RegistryAnswer {
    const path = this.#uploadPath(repository, upload);
    const before = this.#read(path);
    if (before === undefined) return problem(404, 'BLOB_UPLOAD_UNKNOWN', 'blob upload unknown to registry', upload);
    this.#write(path, before + bytes);
    if (digest === null) return uploadStands(repository, upload);
    const answer = this.#putBlob(repository, { digest, bytes: before + bytes });
    this.#files.remove(path.slice(0, path.lastIndexOf('/')), { recursive: true, force: true });
    return answer;
  }

  #uploadPath(repository: string, upload: string): string {
    return `${this.#directoryOf(repository)}/_uploads/${upload}/data`;
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
      : {
          status: 200,
          body: bytes,
          headers: { 'Content-Type': mediaTypeOf(bytes), 'Docker-Content-Digest': digestOf(bytes) },
        };
  }

  #putManifest(repository: string, reference: string, bytes: string): RegistryAnswer {
    const named = namedIn(bytes);
    const missing = named && [
      ...named.blobs.filter((one) => this.#blob(repository, one).status !== 200),
      ...named.manifests.filter((one) => this.#manifest(repository, one).status !== 200),
    ];
    if (missing === undefined) return problem(400, 'MANIFEST_INVALID', 'manifest invalid', {});
    if (missing.length > 0) return problem(400, 'MANIFEST_BLOB_UNKNOWN', 'blob unknown to registry', missing[0] ?? '');
    const digest = digestOf(bytes);
    const directory = `${this.#directoryOf(repository)}/_manifests`;
    this.#write(this.#blobPath(digest), bytes);
    this.#write(`${directory}/revisions/${fileOf(digest)}/link`, digest);
    if (!reference.startsWith('sha256:')) this.#write(`${directory}/tags/${reference}/current/link`, digest);
    return { status: 201, body: '', headers: { 'Docker-Content-Digest': digest } };
  }

  #blob(repository: string, digest: string): RegistryAnswer {
    const link = this.#read(`${this.#directoryOf(repository)}/_layers/${fileOf(digest)}/link`);
    const bytes = link === undefined ? undefined : this.#read(this.#blobPath(digest));
    return bytes === undefined
      ? problem(404, 'BLOB_UNKNOWN', 'blob unknown to registry', digest)
      : {
          status: 200,
          body: bytes,
          headers: { 'Content-Type': 'application/octet-stream', 'Docker-Content-Digest': digest },
        };
  }

  #putBlob(repository: string, { digest, bytes }: Blob): RegistryAnswer {
    if (digestOf(bytes) !== digest) {
      return problem(400, 'DIGEST_INVALID', 'provided digest did not match uploaded content', digest);
    }
    this.#write(this.#blobPath(digest), bytes);
    this.#linkBlob(repository, digest);
    return { status: 201, body: '', headers: { 'Docker-Content-Digest': digest } };
  }

  #linkBlob(repository: string, digest: string): void {
    this.#write(`${this.#directoryOf(repository)}/_layers/${fileOf(digest)}/link`, digest);
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

interface Manifest {
  readonly mediaType?: string;
  readonly config?: { readonly digest: string };
  readonly layers?: readonly { readonly digest: string }[];
  /** Of a manifest list, or an index of OCI. */
  readonly manifests?: readonly { readonly digest: string }[];
}

/** What a manifest names: it must be there. Undefined when it is no manifest. */
function namedIn(text: string): { readonly blobs: string[]; readonly manifests: string[] } | undefined {
  const manifest = parseManifest(text);
  if (!manifest) return undefined;
  const { config, layers = [], manifests = [] } = manifest;
  const digests = (list: readonly { readonly digest: string }[]) => list.map(({ digest }) => digest);
  return { blobs: digests([...(config ? [config] : []), ...layers]), manifests: digests(manifests) };
}

function mediaTypeOf(text: string): string {
  return parseManifest(text)?.mediaType ?? MANIFEST_TYPE;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}

function uploadStands(repository: string, upload: string): RegistryAnswer {
  const location = `/v2/${repository}/blobs/uploads/${upload}?_state=${upload.slice(0, 8)}`;
  return { status: 202, body: '', headers: { Location: location, 'Docker-Upload-UUID': upload } };
}

function json(status: number, value: unknown): RegistryAnswer {
  return {
    status,
    body: `${JSON.stringify(value)}\n`,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  };
}

function problem(status: number, code: string, message: string, detail: unknown): RegistryAnswer {
  return json(status, { errors: [{ code, message, detail }] });
}

function unauthorized({ realm }: RegistryLogin): RegistryAnswer {
  const challenge = `Basic realm="${realm}"`;
  const answer = problem(401, 'UNAUTHORIZED', 'authentication required', null);
  return { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': challenge }, challenge };
}

function unknownName(name: string): RegistryAnswer {
  return problem(404, 'NAME_UNKNOWN', 'repository name not known to registry', { name });
}
