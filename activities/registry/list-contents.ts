import { createHash } from 'node:crypto';
import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import {
  type Descriptor,
  MANIFEST_TYPES,
  type RegistryContents,
  type RegistryRepository,
  readManifest,
} from '../../domain/vnf-kinds/private-registry/contents.ts';
import type { RegistryClient } from './registry-client.ts';

const PAGE = 500;
const Catalog = z.object({ repositories: z.array(z.string()).nullable() });
/** A repository whose tags were all deleted has null. */
const Tags = z.object({ tags: z.array(z.string()).nullable() });

/**
 * Lists everything that a registry has: repositories, tags, lists of manifests, manifests, and the blobs that they
 * name. A manifest without a tag is listed only as a part of a list.
 * @throws VnflowError CONTENT_UNREADABLE naming an image that cannot be read; else as `RegistryClient`
 */
export async function listContents(registry: RegistryClient): Promise<RegistryContents> {
  const sizes: Record<string, number> = {};
  const repositories: RegistryRepository[] = [];
  for (const name of await listRepositories(registry)) {
    repositories.push(await new RepositoryReader(registry, name, sizes).read());
  }
  return { repositories, sizes };
}

async function listRepositories(registry: RegistryClient): Promise<string[]> {
  const names: string[] = [];
  for (let last: string | undefined; ; ) {
    const path = `/v2/_catalog?n=${PAGE}${last === undefined ? '' : `&last=${encodeURIComponent(last)}`}`;
    const { content, headers } = await registry.ask({ method: 'GET', path, expect: [200] });
    const page = readAnswer(Catalog, content).repositories ?? [];
    names.push(...page);
    last = page.at(-1);
    if (last === undefined || !/rel="?next"?/.test(headers['link'] ?? '')) return names;
  }
}

/** Reads one repository, each manifest once. */
class RepositoryReader {
  readonly #registry: RegistryClient;
  readonly #name: string;
  readonly #sizes: Record<string, number>;
  readonly #blobs = new Set<string>();
  /** In the order in which they can be put into another registry. */
  readonly #manifests = new Map<string, string>();

  /** @param sizes is completed */
  constructor(registry: RegistryClient, name: string, sizes: Record<string, number>) {
    this.#registry = registry;
    this.#name = name;
    this.#sizes = sizes;
  }

  async read(): Promise<RegistryRepository> {
    const tags: { name: string; digest: string }[] = [];
    for (const tag of await this.#listTags()) {
      const digest = await this.#readManifest(tag, `${this.#name}:${tag}`);
      if (digest !== undefined) tags.push({ name: tag, digest });
    }
    return {
      name: this.#name,
      blobs: [...this.#blobs],
      manifests: [...this.#manifests].map(([digest, mediaType]) => ({ digest, mediaType })),
      tags,
    };
  }

  async #listTags(): Promise<string[]> {
    const path = `/v2/${this.#name}/tags/list`;
    const { status, content } = await this.#registry.ask({ method: 'GET', path, expect: [200, 404] });
    return status === 404 ? [] : (readAnswer(Tags, content).tags ?? []).toSorted();
  }

  /**
   * @param reference a tag or a digest
   * @returns the digest; undefined when there is no such manifest, for example because its tag was just deleted
   */
  async #readManifest(reference: string, image: string): Promise<string | undefined> {
    if (this.#manifests.has(reference)) return reference;
    const { status, headers, content } = await this.#registry.ask({
      method: 'GET',
      path: `/v2/${this.#name}/manifests/${reference}`,
      headers: { Accept: MANIFEST_TYPES.join(', ') },
      expect: [200, 404],
    });
    if (status === 404) return undefined;
    const named = readManifest(content.toString('utf8'));
    const algorithm = reference.startsWith('sha512:') ? 'sha512' : 'sha256';
    const digest = `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
    if (!named) throw createUnreadableProblem(image, 'its manifest is not one of docker (schema 2) or OCI');
    if (reference.includes(':') && digest !== reference) {
      throw createUnreadableProblem(image, `the registry gives other bytes for the manifest ${reference}`);
    }
    for (const one of named.manifests) await this.#readManifest(one.digest, image);
    for (const blob of named.blobs) await this.#noteBlob(blob);
    this.#sizes[digest] = content.length;
    this.#manifests.set(digest, headers['content-type'] ?? MANIFEST_TYPES[3]);
    return digest;
  }

  /** A layer with `urls` is fetched from elsewhere, as a rule: a registry may have it all the same. */
  async #noteBlob({ digest, size, urls = [] }: Descriptor): Promise<void> {
    if (this.#blobs.has(digest)) return;
    if (urls.length > 0 && !(await this.#hasBlob(digest))) return;
    this.#blobs.add(digest);
    this.#sizes[digest] = size;
  }

  async #hasBlob(digest: string): Promise<boolean> {
    const path = `/v2/${this.#name}/blobs/${digest}`;
    return (await this.#registry.ask({ method: 'HEAD', path, expect: [200, 404] })).status === 200;
  }
}

/** @throws VnflowError NODE_PROTOCOL for an answer that is not of the registry API */
function readAnswer<T>(schema: z.ZodType<T>, content: Buffer): T {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch (cause) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: 'What answers as the registry does not speak the registry API.',
      seen: content.subarray(0, 1000).toString('utf8'),
      cause,
    });
  }
}

/** An image whose content cannot be copied. */
function createUnreadableProblem(image: string, why: string): VnflowError {
  return new VnflowError('CONTENT_UNREADABLE', { detail: `The image ${image} cannot be copied: ${why}.` });
}
