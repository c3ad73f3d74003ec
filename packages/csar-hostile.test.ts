import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { VnflowError } from '../domain/problems.ts';
import { type HandmadeEntry, handmadeZip } from '../test/testing/packages/handmade-zip.ts';
import { block, SCRIPT, SMALL_PACKAGE, sha, smallPackage } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';
import { type CsarLimits, DEFAULT_CSAR_LIMITS } from './csar-limits.ts';

const META = SMALL_PACKAGE['TOSCA-Metadata/TOSCA.meta'] ?? '';
const HASH = sha('sha256', SCRIPT);
const MIB = 1024 ** 2;

const withEntry = (...entries: HandmadeEntry[]) => handmadeZip([...smallPackage(), ...entries]);
const withFiles = (files: Readonly<Record<string, string | undefined>>) => handmadeZip(smallPackage(files));
const withManifest = (text: string) => withFiles({ 'small.mf': text });
const withMeta = (text: string) => withFiles({ 'TOSCA-Metadata/TOSCA.meta': text });
const damagedDirectory = () => {
  const archive = withEntry();
  archive.write('JUNK', archive.indexOf('PK\x01\x02'));
  return archive;
};
const laughs = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`);
const BILLION_LAUGHS = `l0: &l0 ha\n${laughs.join('\n')}\n`;

async function refusal(archive: Buffer | string, limits: Partial<CsarLimits> = {}): Promise<string> {
  const error: unknown = await readCsar(archive, { ...DEFAULT_CSAR_LIMITS, ...limits }).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof VnflowError)) throw new Error('should have been refused', { cause: error });
  expect(error.code).toBe('CSAR_INVALID');
  return error.message;
}

function bombs(count: number, each: Omit<HandmadeEntry, 'name'>): HandmadeEntry[] {
  return Array.from({ length: count }, (_, at) => ({ name: `Files/x${at}.dat`, ...each }));
}

const ARCHIVES: readonly (readonly [what: string, archive: () => Buffer | string, sentence: RegExp])[] = [
  ['an empty upload', () => Buffer.alloc(0), /not a zip archive/],
  ['a text', () => Buffer.from('hello, I am a package'), /not a zip archive/],
  ['a truncated archive', () => withEntry().subarray(0, -30), /not a zip archive, or its end is missing/],
  ['a damaged directory', () => damagedDirectory(), /zip archive is damaged/],
  ['no such file', () => '/nonexistent/package.zip', /\/nonexistent\/package.zip cannot be read/],
  ['a folder', () => tmpdir(), /is no file/],
  ['an archive without entries', () => handmadeZip([]), /has no TOSCA-Metadata\/TOSCA.meta/],
  ['a name with ".."', () => withEntry({ name: '../evil.sh' }), /"..\/evil.sh" leads out of the package/],
  ['a name with ".." inside', () => withEntry({ name: 'Scripts/../../evil' }), /leads out of the package/],
  ['an absolute name', () => withEntry({ name: '/etc/passwd' }), /"\/etc\/passwd" has an absolute name/],
  ['a drive letter', () => withEntry({ name: 'C:evil' }), /"C:evil" has an absolute name/],
  ['a backslash', () => withEntry({ name: '..\\evil' }), /has a backslash in its name/],
  ['a NUL in a name', () => withEntry({ name: 'Scripts/a\0.sh' }), /has control characters/],
  ['a name that shows another one', () => withEntry({ name: 'Scripts/a\u202ehs.txt' }), /has control characters/],
  [
    'a manifest with an escape sequence',
    () => withFiles({ 'small.mf': `${SMALL_PACKAGE['small.mf']}\u001b[2J` }),
    /small.mf has control characters/,
  ],
  [
    'an escaped NUL in the VNFD',
    () => withFiles({ 'Definitions/vnfd.yaml': `${SMALL_PACKAGE['Definitions/vnfd.yaml']}\ndescription: "a\\0b"\n` }),
    /has a text with the character U\+0000/,
  ],
  ['an empty part in a name', () => withEntry({ name: 'Scripts//a.sh' }), /has "." or an empty part/],
  ['a very long name', () => withEntry({ name: 'x'.repeat(600) }), /longer than 512 bytes/],
  ['no name', () => withEntry({ name: '' }), /has no name/],
  ['a folder that leads out', () => withEntry({ name: '../' }), /leads out of the package/],
  ['two names for one entry', () => withEntry({ name: 'a', localName: 'b' }), /a has another name in its own header/],
  [
    'a symbolic link',
    () => withEntry({ name: 'Files/link', content: '/etc/passwd', mode: 0o120777 }),
    /Files\/link is a symbolic link/,
  ],
  ['a device', () => withEntry({ name: 'Files/null', mode: 0o020666 }), /Files\/null is a symbolic link or a device/],
  [
    'a name twice',
    () => withEntry({ name: 'Scripts/install.sh', content: 'evil' }),
    /install.sh is in the archive twice/,
  ],
  [
    'a file that is a folder, too',
    () => withEntry({ name: 'Scripts/install.sh/evil' }),
    /Scripts\/install.sh is both a file and the folder of/,
  ],
  ['encryption', () => withEntry({ name: 'secret', content: 'x', flags: 1 }), /secret is encrypted/],
  ['strong encryption', () => withEntry({ name: 'secret', content: 'x', flags: 0x40 }), /encrypted/],
  ['another compression', () => withEntry({ name: 'x', content: 'x', method: 12 }), /x has compression method 12/],
  ['garbage instead of deflated data', () => withEntry({ name: 'x', content: 'abc', method: 8 }), /entry x is damaged/],
  ['a wrong CRC', () => withEntry({ name: 'x', content: 'x', declaredCrc: 1 }), /entry x is damaged: .*CRC-32/],
  ['less than declared', () => withEntry({ name: 'x', content: 'x', declaredSize: 9 }), /entry x is damaged/],
  [
    'a declared size that lies',
    () => withEntry({ name: 'x', content: Buffer.alloc(MIB), deflate: true, declaredSize: 10 }),
    /x holds more than the 10 bytes it declares \(a zip bomb\)/,
  ],
  [
    'a bomb of zeros',
    () => withEntry({ name: 'x.dat', content: Buffer.alloc(20 * MIB), deflate: true }),
    /x.dat unpacks to more than 200 times its packed size \(a zip bomb\)/,
  ],
  [
    'a bomb with the name of an image',
    () => withEntry({ name: 'x.img', content: Buffer.alloc(20 * MIB), deflate: true }),
    /x.img unpacks to more than 200 times/,
  ],
  ['no TOSCA.meta', () => withFiles({ 'TOSCA-Metadata/TOSCA.meta': undefined }), /has no TOSCA-Metadata\/TOSCA.meta/],
  [
    'a folder around the package',
    () => handmadeZip(smallPackage().map((entry) => ({ ...entry, name: `small/${entry.name}` }))),
    /has no TOSCA-Metadata\/TOSCA.meta; add it at the top of the archive, without a folder around/,
  ],
  ['no Entry-Definitions', () => withMeta('TOSCA-Meta-File-Version: 1.0\n'), /has no Entry-Definitions/],
  [
    'Entry-Definitions that point nowhere',
    () => withMeta('Entry-Definitions: Definitions/other.yaml\n'),
    /Entry-Definitions names Definitions\/other.yaml, which is not in the package/,
  ],
  ['a manifest that is missing', () => withFiles({ 'small.mf': undefined }), /names small.mf, which is not in the/],
  [
    'a manifest by another name',
    () => withFiles({ 'TOSCA-Metadata/TOSCA.meta': META.replace('small.mf', 'small.txt'), 'small.txt': '' }),
    /small.txt does not end in .mf/,
  ],
  ['damaged content', () => withEntry().fill(0xff, 60, 80), /TOSCA.meta is damaged: its size or CRC-32/],
  [
    'a VNFD that is no text',
    () => withEntry({ name: 'Definitions/b.yaml', content: Buffer.from([0xc3, 0x28]) }),
    /Definitions\/b.yaml is not UTF-8 text/,
  ],
  [
    'a wrong hash',
    () => withManifest(block('Scripts/install.sh', 'SHA-256', HASH.replace(/./g, '0'))),
    /install.sh does/,
  ],
  ['a hash of nothing', () => withManifest(block('Scripts/x.sh', 'SHA-256', HASH)), /Scripts\/x.sh, which is not in/],
  ['MD5', () => withManifest(block('Scripts/install.sh', 'MD5', HASH)), /Algorithm MD5; use one of sha-224/],
  ['half a hash', () => withManifest(block('Scripts/install.sh', 'SHA-256', 'abc')), /is not the 64 hex digits/],
  ['no Algorithm', () => withManifest(`Source: Scripts/install.sh\nHash: ${HASH}\n`), /needs both Algorithm and Hash/],
  ['no Source', () => withManifest(`Algorithm: SHA-256\nHash: ${HASH}\n`), /has no Source/],
  [
    'a Source that is a URL',
    () => withManifest(block('http://127.0.0.1/evil.sh', 'SHA-256', HASH)),
    /http:\/\/127.0.0.1\/evil.sh is a URL; nothing is fetched here/,
  ],
  [
    'an image with a hash by URL',
    () => withManifest(block('file:///etc/shadow.img', 'SHA-256', HASH)),
    /file:\/\/\/etc\/shadow.img is a URL/,
  ],
  ['an image that is missing', () => withFiles({ 'Files/images/node.img': undefined }), /masterNode\) names the image/],
  [
    'a VNFD that is no YAML',
    () => withFiles({ 'Definitions/vnfd.yaml': 'a: [' }),
    /Definitions\/vnfd.yaml is not YAML/,
  ],
  ['a VNFD that is empty', () => withFiles({ 'Definitions/vnfd.yaml': '' }), /Definitions\/vnfd.yaml/],
  [
    'aliases without end',
    () => withFiles({ 'Definitions/vnfd.yaml': BILLION_LAUGHS }),
    /vnfd.yaml expands its aliases/,
  ],
  ['YAML too deep', () => withFiles({ 'Definitions/b.yaml': '['.repeat(5000) }), /b.yaml is nested deeper/],
  [
    'a HOT with aliases without end',
    () => withFiles({ 'BaseHOT/simple/top.yaml': BILLION_LAUGHS }),
    /top.yaml expands/,
  ],
  [
    'a HOT that is too long',
    () => withFiles({ 'BaseHOT/x.yaml': `# ${'x'.repeat(1_020_000)}` }),
    /x.yaml is longer than/,
  ],
  [
    'a HOT of very many values',
    () => withFiles({ 'BaseHOT/x.yaml': `a: [${'1,'.repeat(400_000)}1]` }),
    /BaseHOT\/x.yaml has more than 40000 names and values/,
  ],
  [
    'a VNFD of very many values',
    () => withFiles({ 'Definitions/x.yaml': `a: [${'1,'.repeat(400_000)}1]` }),
    /Definitions\/x.yaml has more than 40000 names and values/,
  ],
  [
    'very many values in the VNFD and the HOTs together',
    () => {
      const values = `a: [${'{a: 1},'.repeat(4_000)}]`;
      return withFiles({ 'Definitions/x.yaml': values, 'BaseHOT/x.yaml': values, 'BaseHOT/y.yaml': values });
    },
    /more than 80000 names and values together/,
  ],
  [
    'very many values in a file that the VNFD imports',
    () =>
      withFiles({
        'Definitions/x.yaml': 'tosca_definitions_version: tosca_simple_yaml_1_2\nimports: [../Types/x.yaml]\n',
        'Types/x.yaml': `a: [${'1,'.repeat(30_000)}1]`,
      }),
    /more than 40000 names and values in one file or 80000 together, at Types\/x.yaml/,
  ],
  ['folders too deep', () => withEntry({ name: `${'a/'.repeat(32)}x` }), /lies more than 31 folders deep/],
  [
    'many files of zeros that are small each',
    () => withEntry(...bombs(16, { content: Buffer.alloc(3.9 * MIB), deflate: true })),
    /zip bomb|unpacks to more than/,
  ],
  [
    'many files that are kept',
    () => withEntry(...bombs(3, { content: Buffer.alloc(3.9 * MIB) })),
    /small files up to Files\/x2.dat have more than 8388608 bytes together/,
  ],
  [
    'a VNFD larger than what is kept',
    () => withFiles({ 'Definitions/big.yaml': `# ${'x'.repeat(5 * MIB)}` }),
    /Definitions\/big.yaml is too large for its kind/,
  ],
];

test.each(ARCHIVES)('%s is refused with a sentence that names it', async (_, archive, sentence) => {
  expect(await refusal(archive())).toMatch(sentence);
});

const COSTS: readonly (readonly [limits: Partial<CsarLimits>, sentence: RegExp])[] = [
  [{ archiveBytes: 100 }, /has \d+ bytes, more than 100/],
  [{ entries: 5 }, /has 6 entries, more than 5/],
  [{ fileBytes: 500 }, /Definitions\/vnfd.yaml holds more than 500 bytes/],
  [{ totalBytes: 500 }, /unpacks to more than 500 bytes/],
  [{ keptBytes: 500 }, /small files up to .* have more than 500 bytes together/],
  [{ yamlBytes: 500 }, /YAML files in .* have more than 500 bytes together/],
];

test.each(COSTS)('a package over the limit %j is refused', async (limits, sentence) => {
  expect(await refusal(handmadeZip(smallPackage()), limits)).toMatch(sentence);
});

test('entries that overlap are refused, whatever their names', async () => {
  const inner = handmadeZip([{ name: 'b', content: 'x' }]);
  const archive = withEntry({ name: 'a', content: inner }, { name: 'b', content: 'x' });
  // The last record of the directory is changed to point into the content of "a", which contains a header of "b".
  const target = archive.indexOf(inner);
  archive.writeUInt32LE(target, archive.length - 22 - 1 - 4);
  expect(await refusal(archive)).toMatch(/entries a and b share bytes \(a zip bomb\)/);
});

test('an archive whose directory lies beyond the end of any file is refused, and does not end the process', async () => {
  const far = 0xffff_ffff;
  const zip64 = Buffer.alloc(56 + 20 + 22);
  zip64.writeUInt32LE(0x06064b50, 0);
  zip64.writeUInt32LE(1, 32);
  zip64.fill(0xff, 48, 56);
  zip64.writeUInt32LE(0x07064b50, 56);
  zip64.writeUInt32LE(0x06054b50, 76);
  zip64.writeUInt32LE(far, 76 + 16);
  expect(await refusal(zip64)).toMatch(/zip archive is damaged: it points to byte \d+/);
});

test('a manifest with one very long line is read quickly', async () => {
  const line = `Source: ${' '.repeat(MIB)}x`;
  expect(await refusal(withManifest(`${line}\nHash: 1\n`))).toMatch(/needs both Algorithm and Hash/);
}, 2_000);

test('members in many folders are checked quickly, and the folder that is a file is found', async () => {
  const deep = 'abcdefghi/'.repeat(30);
  const members = Array.from({ length: 4_000 }, (_, at) => ({ name: `${deep}${at}` }));
  expect(await refusal(withEntry(...members, { name: deep.slice(0, 99) }))).toMatch(/is both a file and the folder of/);
});

test('other work goes on between the files of a package', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, at) => [`BaseHOT/${at}.yaml`, `a: [${'{a: 1},'.repeat(1_000)}]`]),
  );
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const reading = readCsar(withFiles(files)).finally(() => clearInterval(timer));
  await reading;
  expect(turns).toBeGreaterThan(12);
});
