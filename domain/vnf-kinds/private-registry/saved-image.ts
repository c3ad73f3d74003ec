import { z } from 'zod';

/** Parts of the header of a member of a tar archive (POSIX ustar), which GNU tar and Go keep. */
const BLOCK = 512;
const NAME = { at: 0, bytes: 100 } as const;
const SIZE = { at: 124, bytes: 12 } as const;
const MAGIC = { at: 257, text: 'ustar' } as const;

const MANIFEST = 'manifest.json';
const MOST_MANIFEST_BYTES = 1024 * 1024;
const Manifest = z.array(z.looseObject({ RepoTags: z.array(z.string()).nullish() })).min(1);

/** Tacker, too, looks for this word among the names of the images that it has loaded (private_registry_mgmt.py). */
const EXPECTED = /(^|\/)[^/]*registry[^/]*$/;

/**
 * Finds out why an archive cannot be the image of a registry, by what `docker save` writes beside the layers.
 * @returns a sentence without subject; undefined when nothing is wrong
 */
export function savedImageProblem(archive: Uint8Array): string | undefined {
  if (textAt(archive, MAGIC.at, MAGIC.text.length) !== MAGIC.text) {
    return 'is no tar archive; make it with docker save, and do not compress it';
  }
  const found = memberOf(archive, MANIFEST);
  const manifest = found && found.length <= MOST_MANIFEST_BYTES ? readManifest(found) : undefined;
  if (!manifest) return `has no ${MANIFEST} of docker save; make it with docker save`;
  const tags = manifest.flatMap(({ RepoTags }) => RepoTags ?? []);
  const isNamed = tags.some((tag) => EXPECTED.test(tag.replace(/@.*$/, '').replace(/:[^:/]*$/, '')));
  // an archive that was saved by the id of its image has no names
  if (tags.length === 0 || isNamed) return undefined;
  return `has the image ${tags.slice(0, 3).join(', ')}, and none named registry`;
}

function readManifest(bytes: Uint8Array): z.infer<typeof Manifest> | undefined {
  try {
    return Manifest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** The content of a member with a short name. Undefined when the archive has none, or ends before it does. */
function memberOf(archive: Uint8Array, name: string): Uint8Array | undefined {
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const size = Number.parseInt(textAt(archive, at + SIZE.at, SIZE.bytes) || '0', 8);
    // larger members than 8 GiB have their size in another form, and no registry is so large
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    const from = at + BLOCK;
    if (textAt(archive, at + NAME.at, NAME.bytes).replace(/^\.\//, '') === name) {
      return from + size <= archive.length ? archive.subarray(from, from + size) : undefined;
    }
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

/** Text up to the first zero byte. */
function textAt(archive: Uint8Array, at: number, bytes: number): string {
  const text = String.fromCharCode(...archive.subarray(at, at + bytes));
  return text.replace(/\0.*$/s, '').trim();
}
