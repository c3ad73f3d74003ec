import { z } from 'zod';

/** A digest as the OCI image specification writes it. Registries name content by sha256, and seldom by sha512. */
const Digest = z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/, 'must be a digest');

const Repository = z.object({
  name: z.string(),
  /** Blobs that its manifests name: configurations and layers. */
  blobs: z.array(Digest),
  /** Manifests and lists of manifests, with the content that they name. What a list names stands before it. */
  manifests: z.array(z.object({ digest: Digest, mediaType: z.string(), names: z.array(Digest) })),
  tags: z.array(z.object({ name: z.string(), digest: Digest })),
});

/** Everything in a registry, by digest. */
export const RegistryContents = z.object({
  repositories: z.array(Repository),
  /** Bytes of each blob and manifest. Content that several repositories share stands here once. */
  sizes: z.record(z.string(), z.number()),
});
export type RegistryContents = z.infer<typeof RegistryContents>;
export type RegistryRepository = z.infer<typeof Repository>;

/** Media types of the manifests that a client of a registry asks for. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

const Descriptor = z.object({
  digest: Digest,
  size: z.number().nonnegative(),
  mediaType: z.string().optional(),
  /** Content that a registry need not have itself. */
  urls: z.array(z.string()).optional(),
});

/** The members of a manifest, or of a list of manifests, that name content. */
const Manifest = z.object({
  mediaType: z.string().optional(),
  config: Descriptor.optional(),
  layers: z.array(Descriptor).default([]),
  manifests: z.array(Descriptor).default([]),
});
export type Descriptor = z.infer<typeof Descriptor>;

/** What a manifest names. */
interface NamedContent {
  readonly blobs: readonly Descriptor[];
  /** Of a list. */
  readonly manifests: readonly Descriptor[];
}

/**
 * Reads what a manifest names.
 * @returns undefined when it is none that names its content by digest (schema 1 of docker's manifests)
 */
export function readManifest(text: string): NamedContent | undefined {
  try {
    const { config, layers, manifests } = Manifest.parse(JSON.parse(text));
    const blobs = [...(config ? [config] : []), ...layers];
    return blobs.length + manifests.length === 0 ? undefined : { blobs, manifests };
  } catch {
    return undefined;
  }
}

/** The images by name, in order: `repository:tag`. */
export function imagesOf({ repositories }: RegistryContents): string[] {
  return repositories.flatMap(({ name, tags }) => tags.map((tag) => `${name}:${tag.name}`));
}

/** How many bytes a copy of all contents has. */
export function bytesOf({ sizes }: RegistryContents): number {
  return Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Leaves out what cannot be copied, and everything that needs it.
 * @param damaged digests @returns the rest, and the names of the images that it does not have
 */
export function withoutImages(
  contents: RegistryContents,
  damaged: ReadonlySet<string>,
): { readonly contents: RegistryContents; readonly left: readonly string[] } {
  if (damaged.size === 0) return { contents, left: [] };
  const left: string[] = [];
  const repositories = contents.repositories.map((repository) => {
    const bad = new Set(damaged);
    // a list stands after what it names
    for (const { digest, names } of repository.manifests) if (names.some((name) => bad.has(name))) bad.add(digest);
    const manifests = repository.manifests.filter(({ digest }) => !bad.has(digest));
    const named = new Set(manifests.flatMap(({ names }) => names));
    const lost = repository.tags.filter(({ digest }) => bad.has(digest));
    left.push(...lost.map((tag) => `${repository.name}:${tag.name}`));
    return {
      name: repository.name,
      blobs: repository.blobs.filter((digest) => named.has(digest)),
      manifests,
      tags: repository.tags.filter(({ digest }) => !bad.has(digest)),
    };
  });
  return { contents: withSizes(repositories, contents.sizes), left };
}

/**
 * Joins a copy that was never put back with what the registry has now. A tag that both have names what it names now.
 */
export function joinContents(earlier: RegistryContents, now: RegistryContents): RegistryContents {
  const present = new Map(now.repositories.map((repository) => [repository.name, repository]));
  const joined = earlier.repositories.map((old) => {
    const current = present.get(old.name);
    present.delete(old.name);
    if (!current) return old;
    const tagged = new Set(current.tags.map(({ name }) => name));
    const listed = new Set(current.manifests.map(({ digest }) => digest));
    return {
      name: old.name,
      blobs: [...new Set([...old.blobs, ...current.blobs])],
      manifests: [...old.manifests.filter(({ digest }) => !listed.has(digest)), ...current.manifests],
      tags: [...old.tags.filter(({ name }) => !tagged.has(name)), ...current.tags],
    };
  });
  return withSizes([...joined, ...present.values()], { ...earlier.sizes, ...now.sizes });
}

function withSizes(repositories: readonly RegistryRepository[], sizes: RegistryContents['sizes']): RegistryContents {
  const used = new Set(
    repositories.flatMap(({ blobs, manifests }) => [...blobs, ...manifests.map(({ digest }) => digest)]),
  );
  return {
    repositories: [...repositories],
    sizes: Object.fromEntries(Object.entries(sizes).filter(([digest]) => used.has(digest))),
  };
}
