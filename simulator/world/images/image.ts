import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Member, packTar, unpackTar } from '../internet/archive.ts';

/** A container image. Equal images have equal ids. Plain JSON. */
export interface Image {
  /** The configuration: JSON text. The id of the image is its digest. */
  readonly config: string;
  /** The layers, the lowest first: tar archives, one character per byte. */
  readonly layers: readonly string[];
}

/** A content that a registry names by its digest. */
export interface Blob {
  readonly digest: string;
  /** One character per byte. */
  readonly bytes: string;
}

export const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';
const CONFIG_TYPE = 'application/vnd.docker.container.image.v1+json';
const LAYER_TYPE = 'application/vnd.docker.image.rootfs.diff.tar.gzip';

export function digestOf(bytes: string): string {
  return `sha256:${createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex')}`;
}

/** What the configuration of an image says, as far as docker and the machines read it. */
export interface ImageConfig {
  readonly architecture: string;
  readonly config: { readonly Cmd?: readonly string[]; readonly ExposedPorts?: Readonly<Record<string, object>> };
}

export function configOf({ config }: Image): ImageConfig {
  return JSON.parse(config) as ImageConfig;
}

export function idOf({ config }: Image): string {
  return digestOf(config);
}

/** The program of the registry's image. A container with it serves the registry API. */
export const REGISTRY_PROGRAM = '/etc/docker/registry/config.yml';

/**
 * An image of a public registry. Its layers are small and made of its name: tags of a repository share the first one.
 * @param full name, such as `docker.io/library/redis:7`
 */
export function publicImage(full: string): Image {
  const repository = full.replace(/@.*$/, '').replace(/:[^:/]+$/, '');
  const isRegistry = repository === 'docker.io/library/registry';
  const layers = [repository, full].map((text) => packLayer({ 'etc/image': `${text}\n` }));
  const config = isRegistry
    ? { Entrypoint: ['/entrypoint.sh'], Cmd: [REGISTRY_PROGRAM], ExposedPorts: { '5000/tcp': {} } }
    : { Cmd: ['/bin/sh'] };
  return makeImage(layers, { architecture: 'amd64', config });
}

function packLayer(files: Readonly<Record<string, string>>): string {
  const members = Object.entries(files).map(
    ([name, bytes]): Member => ({ kind: 'file', name, mode: 0o644, bytes, to: '' }),
  );
  return packTar(members).toString('latin1');
}

function makeImage(layers: readonly string[], { architecture, config }: ImageConfig): Image {
  const rootfs = { type: 'layers', diff_ids: layers.map(digestOf) };
  return { config: JSON.stringify({ architecture, os: 'linux', config, rootfs }), layers };
}

/** The blobs of an image as docker pushes them, and the manifest that names them. */
export function packImage(image: Image): { readonly manifest: string; readonly blobs: readonly Blob[] } {
  const blobOf = (bytes: string): Blob => ({ digest: digestOf(bytes), bytes });
  const config = blobOf(image.config);
  const layers = image.layers.map((layer) =>
    blobOf(gzipSync(Buffer.from(layer, 'latin1'), { level: 0 }).toString('latin1')),
  );
  const described = (mediaType: string, { digest, bytes }: Blob) => ({ mediaType, size: bytes.length, digest });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: described(CONFIG_TYPE, config),
    layers: layers.map((layer) => described(LAYER_TYPE, layer)),
  };
  return { manifest: JSON.stringify(manifest, null, 3), blobs: [config, ...layers] };
}

interface SavedImage {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

/** An image in an archive, with its names. */
export interface NamedImage {
  readonly image: Image;
  readonly tags: readonly string[];
}

/** The archive that `docker save` writes. */
export function saveImages(images: readonly NamedImage[]): string {
  const files = new Map<string, string>();
  const manifest = images.map(({ image, tags }): SavedImage => {
    const config = `${idOf(image).slice('sha256:'.length)}.json`;
    files.set(config, image.config);
    const layers = image.layers.map((layer) => {
      const name = `${digestOf(layer).slice('sha256:'.length)}/layer.tar`;
      files.set(name, layer);
      return name;
    });
    return { Config: config, RepoTags: tags, Layers: layers };
  });
  files.set('manifest.json', JSON.stringify(manifest));
  return packLayer(Object.fromEntries(files));
}

/** Reads an archive of `docker save`. @throws Error with docker's words */
export function loadImages(archive: string): readonly NamedImage[] {
  const members = new Map(unpackTar(Buffer.from(archive, 'latin1')).map(({ name, bytes }) => [name, bytes]));
  const read = (name: string) => {
    const bytes = members.get(name);
    if (bytes === undefined)
      throw new Error(`open /var/lib/docker/tmp/docker-import-201/${name}: no such file or directory`);
    return bytes;
  };
  const manifest = JSON.parse(read('manifest.json')) as readonly SavedImage[];
  return manifest.map(({ Config, RepoTags, Layers }) => ({
    image: { config: read(Config), layers: Layers.map(read) },
    tags: RepoTags ?? [],
  }));
}
