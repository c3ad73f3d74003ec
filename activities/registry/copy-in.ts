import { VnflowError } from '../../domain/problems.ts';
import type { RegistryContents, RegistryRepository } from '../../domain/vnf-kinds/private-registry/contents.ts';
import type { NodeContext } from '../node/node-session.ts';
import { blobBytes, readBlob } from './copied-blobs.ts';
import type { CopyPlace } from './copy-place.ts';
import { RegistryClient } from './registry-client.ts';

/**
 * Puts a copy into the registry on the server of the session. What the registry has already stays: it may be called
 * again at any point.
 * @throws VnflowError COPY_DAMAGED; as `RegistryClient`
 */
export async function copyIn(node: NodeContext, place: CopyPlace, contents: RegistryContents): Promise<void> {
  await RegistryClient.use(node, async (registry) => {
    const filling = new Filling(node, registry, place);
    for (const repository of contents.repositories) await filling.fill(repository);
    for (const repository of contents.repositories) await verify(registry, repository, contents.sizes);
  });
}

class Filling {
  readonly #node: NodeContext;
  readonly #registry: RegistryClient;
  readonly #place: CopyPlace;
  /** A repository that has the blob. */
  readonly #holders = new Map<string, string>();

  constructor(node: NodeContext, registry: RegistryClient, place: CopyPlace) {
    this.#node = node;
    this.#registry = registry;
    this.#place = place;
  }

  async fill({ name, blobs, manifests, tags }: RegistryRepository): Promise<void> {
    for (const digest of blobs) {
      if (!(await this.#has(`/v2/${name}/blobs/${digest}`))) await this.#putBlob(name, digest);
      this.#holders.set(digest, name);
    }
    for (const { digest, mediaType } of manifests) await this.#putManifest(name, digest, { digest, mediaType });
    const types = new Map(manifests.map(({ digest, mediaType }) => [digest, mediaType]));
    for (const { name: tag, digest } of tags) {
      await this.#putManifest(name, tag, { digest, mediaType: types.get(digest) ?? '' });
    }
  }

  async #has(path: string): Promise<boolean> {
    return (await this.#registry.ask({ method: 'HEAD', path, expect: [200, 404] })).status === 200;
  }

  /** A blob of another repository is mounted, so that shared layers are brought once. */
  async #putBlob(name: string, digest: string): Promise<void> {
    const from = this.#holders.get(digest);
    const mount = from === undefined ? '' : `?${new URLSearchParams({ mount: digest, from })}`;
    const path = `/v2/${name}/blobs/uploads/${mount}`;
    const begun = await this.#registry.ask({ method: 'POST', path, expect: [201, 202] });
    if (begun.status === 201) return;
    this.#node.say(`putting ${digest.slice(0, 19)} of ${name} back from ${this.#place.label}`);
    const bytes = await blobBytes(this.#place, digest);
    await this.#registry.ask({
      method: 'PUT',
      path: uploadPath(begun.headers['location'] ?? '', digest),
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes) },
      body: readBlob(this.#place, digest),
      expect: [201],
    });
  }

  /** @param reference a tag or the digest */
  async #putManifest(
    name: string,
    reference: string,
    { digest, mediaType }: Omit<RegistryRepository['manifests'][number], 'names'>,
  ): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of readBlob(this.#place, digest)) pieces.push(piece);
    await this.#registry.ask({
      method: 'PUT',
      path: `/v2/${name}/manifests/${reference}`,
      headers: { 'Content-Type': mediaType },
      body: Buffer.concat(pieces),
      expect: [201],
    });
  }
}

/** The registry gives the place of an upload as a URL with a state in its query, or without a host. */
function uploadPath(location: string, digest: string): string {
  const url = new URL(location, 'http://registry');
  url.searchParams.set('digest', digest);
  return `${url.pathname}${url.search}`;
}

/** Every tag names the digest that it named, and every digest is there. @throws VnflowError REGISTRY_NOT_READY */
async function verify(
  registry: RegistryClient,
  { name, blobs, manifests, tags }: RegistryRepository,
  sizes: RegistryContents['sizes'],
): Promise<void> {
  const types = new Map(manifests.map(({ digest, mediaType }) => [digest, mediaType]));
  const named = [
    ...manifests.map(({ digest }) => ({ reference: digest, digest })),
    ...tags.map(({ name: tag, digest }) => ({ reference: tag, digest })),
  ];
  for (const { reference, digest } of named) {
    const path = `/v2/${name}/manifests/${reference}`;
    const headers = { Accept: types.get(digest) ?? '' };
    const found = await registry.ask({ method: 'HEAD', path, headers, expect: [200, 404] });
    if (found.headers['docker-content-digest'] !== digest) throw createMissingProblem(`${name}:${reference}`, digest);
  }
  for (const digest of blobs) {
    const found = await registry.ask({ method: 'HEAD', path: `/v2/${name}/blobs/${digest}`, expect: [200, 404] });
    if (Number(found.headers['content-length']) !== sizes[digest]) throw createMissingProblem(name, digest);
  }
}

function createMissingProblem(name: string, digest: string): VnflowError {
  return new VnflowError('REGISTRY_NOT_READY', {
    detail: `The registry does not have ${name} as ${digest}, although it was put back.`,
  });
}
