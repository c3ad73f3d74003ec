/** One block of TOSCA.meta or of a manifest: value as written, by name in lower case. */
export type MetadataBlock = ReadonlyMap<string, string>;

/** Names that begin the block of one file. SOL004 does not require an empty line between two blocks. */
const OPENERS: ReadonlySet<string> = new Set(['source', 'name']);

/**
 * Reads the blocks of TOSCA.meta (TOSCA simple YAML 1.2 §6.2) or of a manifest (SOL004 §4.3.2). A block ends at an
 * empty line or at the block of the next file. A CMS signature at the end is skipped and not verified, as in Tacker.
 * @param text of the file
 */
export function readMetadataBlocks(text: string): MetadataBlock[] {
  const [signed = ''] = text.replace(/^\ufeff/, '').split(/^-----BEGIN /m);
  const blocks: Map<string, string>[] = [];
  let block: Map<string, string> | undefined;
  for (const line of signed.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (line.trim() === '') block = undefined;
    if (colon < 1) continue;
    const key = line.slice(0, colon).trim().toLowerCase();
    if (block === undefined || (OPENERS.has(key) && OPENERS.values().some((opener) => block?.has(opener)))) {
      block = new Map();
      blocks.push(block);
    }
    block.set(key, line.slice(colon + 1).trim());
  }
  return blocks;
}
