/**
 * One member of a tar archive: a file, a directory or a symbolic link, which are all that releases and operators'
 * archives need.
 */
export interface Member {
  readonly kind: 'file' | 'directory' | 'link';
  /** The name in the archive, without a leading slash. */
  readonly name: string;
  readonly mode: number;
  /** The content of a file, one character per byte. */
  readonly bytes: string;
  /** The target of a link. */
  readonly to: string;
}

const BLOCK = 512;
const TYPES = { file: '0', directory: '5', link: '2' } as const;

/** Packs a tar archive (ustar). Equal members give equal bytes. */
export function packTar(members: readonly Member[]): Buffer {
  const blocks = members.flatMap((member) => {
    const content = Buffer.from(member.bytes, 'latin1');
    return [header(member, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(member: Member, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const { prefix, name } = split(member.name);
  block.write(name, 0, 'latin1');
  block.write(octal(member.mode & 0o7777, 8), 100);
  block.write(octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(1_700_000_000, 12), 108);
  block.write(`        ${TYPES[member.kind]}${member.to}`, 148, 'latin1');
  block.write('ustar\x0000root', 257);
  block.write('root', 297);
  block.write(prefix, 345, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Splits a name of more than 100 characters into the two fields of the header. */
function split(name: string): { readonly prefix: string; readonly name: string } {
  if (name.length <= 100) return { prefix: '', name };
  const slash = name.indexOf('/', name.length - 101);
  return { prefix: name.slice(0, slash), name: name.slice(slash + 1) };
}

/** Unpacks a tar archive. @throws Error when the bytes are no complete tar archive */
export function unpackTar(archive: Buffer): readonly Member[] {
  const members: Member[] = [];
  const text = (from: number, length: number) => {
    const field = archive.subarray(from, from + length).toString('latin1');
    const end = field.indexOf('\0');
    return end < 0 ? field : field.slice(0, end);
  };
  for (let at = 0; ; ) {
    if (at + BLOCK > archive.length) throw new Error('Unexpected EOF in archive');
    if (archive[at] === 0) return members;
    if (text(at + 257, 5) !== 'ustar') throw new Error('This does not look like a tar archive');
    const prefix = text(at + 345, 155);
    const size = Number.parseInt(text(at + 124, 12), 8) || 0;
    const type = text(at + 156, 1);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new Error('Unexpected EOF in archive');
    members.push({
      kind: type === '5' ? 'directory' : type === '2' ? 'link' : 'file',
      name: `${prefix === '' ? '' : `${prefix}/`}${text(at, 100)}`,
      mode: Number.parseInt(text(at + 100, 8), 8) || 0,
      bytes: content.toString('latin1'),
      to: text(at + 157, 100),
    });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
