import { crc32, deflateRawSync } from 'node:zlib';

/** One entry as a test wants it, false declarations included. */
export interface HandmadeEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly deflate?: boolean;
  /** Unix mode, with the file type. */
  readonly mode?: number;
  /** General purpose bits besides UTF-8: 1 is encryption. */
  readonly flags?: number;
  /** The size that both headers declare. Default: the true size. */
  readonly declaredSize?: number;
  readonly declaredCrc?: number;
  readonly method?: number;
  /** The name in the entry's own header. */
  readonly localName?: string;
  /** Points to the header of an earlier entry (by index) rather than to one of its own. */
  readonly sharesHeaderOf?: number;
}

/** A zip archive byte by byte: yazl refuses what hostile archives have. */
export function handmadeZip(entries: readonly HandmadeEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let cursor = 0;
  for (const entry of entries) {
    const plain = Buffer.from(entry.content ?? '');
    const packed = entry.deflate ? deflateRawSync(plain) : plain;
    const fields = commonFields(entry, plain, packed.length);
    const shared = entry.sharesHeaderOf === undefined ? undefined : offsets[entry.sharesHeaderOf];
    const offset = shared ?? cursor;
    offsets.push(offset);
    if (shared === undefined) {
      const name = Buffer.from(entry.localName ?? entry.name);
      const local = Buffer.concat([numbers([4, 0x04034b50], ...fields, [2, name.length], [2, 0]), name, packed]);
      parts.push(local);
      cursor += local.length;
    }
    directory.push(directoryRecord(entry, fields, offset));
  }
  const size = directory.reduce((sum, record) => sum + record.length, 0);
  const end = numbers(
    [4, 0x06054b50],
    [4, 0],
    [2, entries.length],
    [2, entries.length],
    [4, size],
    [4, cursor],
    [2, 0],
  );
  return Buffer.concat([...parts, ...directory, end]);
}

type Field = readonly [bytes: 2 | 4, value: number];

function commonFields(entry: HandmadeEntry, plain: Buffer, packedSize: number): readonly Field[] {
  return [
    [2, 20],
    [2, 0x800 | (entry.flags ?? 0)],
    [2, entry.method ?? (entry.deflate ? 8 : 0)],
    [4, 0],
    [4, entry.declaredCrc ?? crc32(plain)],
    [4, packedSize],
    [4, entry.declaredSize ?? plain.length],
  ];
}

function directoryRecord(entry: HandmadeEntry, fields: readonly Field[], offset: number): Buffer {
  const name = Buffer.from(entry.name);
  const mode = (entry.mode ?? 0o100644) * 0x10000;
  const head = numbers(
    [4, 0x02014b50],
    [2, 0x33f],
    ...fields,
    [2, name.length],
    [4, 0],
    [4, 0],
    [4, mode],
    [4, offset],
  );
  return Buffer.concat([head, name]);
}

function numbers(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
