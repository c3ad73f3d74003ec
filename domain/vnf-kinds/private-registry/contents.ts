import { z } from 'zod';

/** A digest as the OCI image specification writes it. Registries name content by sha256, and seldom by sha512. */
const Digest = z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/, 'must be a digest');

const Repository = z.object({
  name: z.string(),
  /** Blobs that its manifests name: configurations and layers. */
  blobs: z.array(Digest),
  /** Manifests and lists of manifests. What a list names stands before it. */
  manifests: z.array(z.object({ digest: Digest, mediaType: z.string() })),
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
