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

/** What a registry has, and what of it cannot be copied. */
export interface ListedContents {
  readonly contents: RegistryContents;
  /** Images whose manifest cannot be read, with the reason. They are not in `contents`. */
  readonly unreadable: readonly string[];
}

/**
 * Lists everything that a registry has: repositories, tags, lists of manifests, manifests, and the blobs that they
 * name. A manifest without a tag is listed only as a part of a list.
 * @throws VnflowError as `RegistryClient`; NODE_PROTOCOL when it does not speak the registry API
 */
export async function listContents(registry: RegistryClient): Promise<ListedContents> {
  const sizes: Record<string, number> = {};
  const unreadable: string[] = [];
  const repositories: RegistryRepository[] = [];
  for (const name of await listRepositories(registry)) {
    repositories.push(await new RepositoryReader(registry, name, { sizes, unreadable }).read());
  }
  return { contents: { repositories, sizes }, unreadable };
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

/** What the repositories complete while they are read. */
interface Found {
  readonly sizes: Record<string, number>;
  readonly unreadable: string[];
}

/** The reason why an image cannot be read. */
class Unreadable extends Error {}

/** Reads one repository, each manifest once. */
class RepositoryReader {
  readonly #registry: RegistryClient;
  readonly #name: string;
  readonly #found: Found;
  readonly #blobs = new Set<string>();
  /** In the order in which they can be put into another registry. */
  readonly #manifests = new Map<string, RegistryRepository['manifests'][number]>();

  constructor(registry: RegistryClient, name: string, found: Found) {
    this.#registry = registry;
    this.#name = name;
    this.#found = found;
  }

  async read(): Promise<RegistryRepository> {
    const tags: { name: string; digest: string }[] = [];
    for (const tag of await this.#listTags()) {
      const digest = await this.#readTag(tag);
      if (digest !== undefined) tags.push({ name: tag, digest });
    }
    return {
      name: this.#name,
      blobs: [...this.#blobs],
      manifests: [...this.#manifests.values()],
      tags,
    };
  }

  async #listTags(): Promise<string[]> {
    const path = `/v2/${this.#name}/tags/list`;
    const { status, content } = await this.#registry.ask({ method: 'GET', path, expect: [200, 404] });
    return status === 404 ? [] : (readAnswer(Tags, content).tags ?? []).toSorted();
  }

  async #readTag(tag: string): Promise<string | undefined> {
    try {
      return await this.#readManifest(tag);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#found.unreadable.push(`${this.#name}:${tag} (${error.message})`);
      return undefined;
    }
  }

  /**
   * @param reference a tag or a digest
   * @returns the digest; undefined when there is no such manifest, for example because its tag was just deleted
   */
  async #readManifest(reference: string): Promise<string | undefined> {
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
    if (!named) throw new Unreadable('its manifest is neither of docker, schema 2, nor of OCI');
    if (reference.includes(':') && digest !== reference) {
      throw new Unreadable(`the registry has other bytes for the manifest ${reference}`);
    }
    const names: string[] = [];
    for (const one of named.manifests) if (await this.#readManifest(one.digest)) names.push(one.digest);
    for (const blob of named.blobs) if (await this.#noteBlob(blob)) names.push(blob.digest);
    this.#found.sizes[digest] = content.length;
    this.#manifests.set(digest, { digest, mediaType: headers['content-type'] ?? MANIFEST_TYPES[3], names });
    return digest;
  }

  /** A layer with `urls` is fetched from elsewhere, as a rule: a registry may have it all the same. */
  async #noteBlob({ digest, size, urls = [] }: Descriptor): Promise<boolean> {
    if (this.#blobs.has(digest)) return true;
    if (urls.length > 0 && !(await this.#hasBlob(digest))) return false;
    this.#blobs.add(digest);
    this.#found.sizes[digest] = size;
    return true;
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
