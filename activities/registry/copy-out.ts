import { type RegistryContents, withoutImages } from '../../domain/vnf-kinds/private-registry/contents.ts';
import type { NodeContext } from '../node/node-session.ts';
import { hasBlob, writeBlob } from './copied-blobs.ts';
import type { CopyPlace } from './copy-place.ts';
import { type ListedContents, listContents } from './list-contents.ts';
import { RegistryClient } from './registry-client.ts';

/** Clients may push while the copy is made: it is made again until nothing has changed. */
const MOST_ROUNDS = 5;

/** A registry as it was copied. */
interface CopiedContents {
  readonly contents: RegistryContents;
  /** Images that could not be read, with the reason. They are not in `contents`. */
  readonly unreadable: readonly string[];
}

/**
 * Copies everything that the registry on the server of the session has into a place. Content that is there already is
 * not copied again: a copy that was cut off goes on where it was.
 * @param check is called with each list before anything of it is copied
 * @throws VnflowError as `RegistryClient`
 */
export function copyOut(
  node: NodeContext,
  place: CopyPlace,
  check: (listed: ListedContents) => void,
): Promise<CopiedContents> {
  return RegistryClient.use(node, async (registry) => {
    for (let round = 1; ; round++) {
      const listed = await listContents(registry);
      check(listed);
      const { copied, damaged } = await copyListed({ node, registry, place }, listed.contents);
      if (copied > 0 && round < MOST_ROUNDS) continue;
      const rest = withoutImages(listed.contents, damaged);
      return { contents: rest.contents, unreadable: [...listed.unreadable, ...rest.left] };
    }
  });
}

interface Copying {
  readonly node: NodeContext;
  readonly registry: RegistryClient;
  readonly place: CopyPlace;
}

/** @returns how many were copied, and the digests of which the registry gives other bytes, or none */
async function copyListed(
  { node, registry, place }: Copying,
  { repositories, sizes }: RegistryContents,
): Promise<{ copied: number; damaged: Set<string> }> {
  const damaged = new Set<string>();
  const seen = new Set<string>();
  const total = Object.keys(sizes).length;
  let copied = 0;
  for (const { name, blobs, manifests } of repositories) {
    const wanted = [
      ...blobs.map((digest) => ({ digest, path: `/v2/${name}/blobs/${digest}`, headers: {} })),
      ...manifests.map(({ digest, mediaType }) => ({
        digest,
        path: `/v2/${name}/manifests/${digest}`,
        headers: { Accept: mediaType },
      })),
    ];
    for (const { digest, path, headers } of wanted) {
      if (seen.has(digest)) continue;
      seen.add(digest);
      if (await hasBlob(place, digest)) continue;
      node.say(`copying ${digest.slice(0, 19)} of ${name} into ${place.label} (${seen.size} of ${total})`);
      const isWhole = await registry.read({ method: 'GET', path, headers, expect: [200, 404] }, (body, status) =>
        status === 404 ? drained(body) : writeBlob(place, digest, body),
      );
      if (isWhole) copied += 1;
      else damaged.add(digest);
    }
  }
  return { copied, damaged };
}

async function drained(body: AsyncIterable<Buffer>): Promise<false> {
  for await (const _ of body);
  return false;
}
