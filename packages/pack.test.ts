import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { SCRIPT, SMALL_PACKAGE, sha } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';
import { packCsar } from './pack.ts';

const SAMPLE = join(import.meta.dirname, '../samples/kubernetes-cluster');
const METADATA = 'metadata:\nvnf_product_name: Small VNF\nvnf_provider_id: Company\n';

let folder: string;
let source: string;
let out: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
  source = join(folder, 'source');
  out = join(folder, 'out.zip');
  await write({ ...SMALL_PACKAGE, 'small.mf': METADATA });
  await chmod(join(source, 'Scripts/install.sh'), 0o700);
});

afterEach(() => rm(folder, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), content);
  }
}

test('a packed CSAR can be read, with the hash of every file in the manifest', async () => {
  const packed = await packCsar(source, out);
  const archive = await readFile(out);
  const { entries, files } = await readCsar(out);

  expect(packed).toEqual({ entries: 6, bytes: archive.length, sha256: sha('sha256', archive) });
  expect(entries.map(({ path }) => path)).toEqual(Object.keys(SMALL_PACKAGE).toSorted());
  const manifest = files.get('small.mf')?.toString() ?? '';
  expect(manifest.startsWith(`${METADATA}\nSource: BaseHOT/simple/top.yaml\n`)).toBe(true);
  expect(manifest).toContain(`Source: Scripts/install.sh\nAlgorithm: SHA-256\nHash: ${sha('sha256', SCRIPT)}\n`);
  expect(manifest.match(/^Source: .*/gm)).toEqual(
    entries.map(({ path }) => `Source: ${path}`).filter((line) => line !== 'Source: small.mf'),
  );
});

test('packing later, in another folder, and with other group permissions gives identical bytes', async () => {
  const first = await packCsar(source, out);
  await utimes(join(source, 'Scripts/install.sh'), 1, 1);
  await chmod(join(source, 'Scripts/install.sh'), 0o775);
  await chmod(join(source, 'small.mf'), 0o600);
  expect(await packCsar(source, out)).toEqual(first);
});

test.each(['Asia/Kathmandu', 'Pacific/Kiritimati', 'America/St_Johns'])(
  'packing in the time zone %s gives identical bytes',
  async (zone) => {
    const here = await packCsar(source, out);
    const script = `import { packCsar } from '${join(import.meta.dirname, 'pack.ts')}';
    console.log(JSON.stringify(await packCsar(process.argv[1], process.argv[2])));`;
    const there = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script, source, join(folder, 'there.zip')],
      { env: { ...process.env, TZ: zone } },
    );
    expect(JSON.parse(there.stdout)).toEqual(here);
  },
);

test('packing a source whose manifest has hashes already gives identical bytes', async () => {
  const first = await packCsar(source, out);
  const { files } = await readCsar(out);
  await write({ 'small.mf': `${files.get('small.mf')}\n-----BEGIN CMS-----\nMIIG\n-----END CMS-----\n` });
  expect(await packCsar(source, out)).toEqual(first);
});

test('only files that are executable in the source are executable in the package', async () => {
  await packCsar(source, out);
  const modes = new Map<string, number>();
  const zip = await fromBufferPromise(await readFile(out));
  for await (const entry of zip.eachEntry()) modes.set(entry.fileName, entry.externalFileAttributes >>> 16);
  expect(modes.get('Scripts/install.sh')).toBe(0o100755);
  expect(modes.get('Definitions/vnfd.yaml')).toBe(0o100644);
});

test('README, files whose names start with a dot, and the archive itself are left out', async () => {
  const first = await packCsar(source, out);
  await write({ 'README.md': 'about', '.git/config': 'x', 'Scripts/.DS_Store': 'x', 'old.zip': 'x' });
  expect(await packCsar(source, join(source, 'old.zip'))).toEqual(first);
});

test('a large image is streamed into the package', async () => {
  await writeFile(join(source, 'Files/images/node.img'), Buffer.alloc(3 * 1024 ** 2, 7));
  await packCsar(source, out);
  const { entries, files } = await readCsar(out);
  expect(entries).toContainEqual(expect.objectContaining({ path: 'Files/images/node.img', size: 3 * 1024 ** 2 }));
  expect(files.has('Files/images/node.img')).toBe(false);
});

const REFUSED: readonly (readonly [what: string, spoil: () => Promise<void>, sentence: RegExp])[] = [
  ['a symbolic link', () => symlink('/etc/passwd', join(source, 'link')), /link is a symbolic link/],
  ['a linked folder', () => symlink('/etc', join(source, 'Files/etc')), /Files\/etc is a symbolic link/],
  ['a backslash in a name', () => write({ 'a\\b': 'x' }), /has a backslash/],
  ['no source', () => rm(source, { recursive: true }), /source cannot be read/],
  ['no TOSCA.meta', () => rm(join(source, 'TOSCA-Metadata'), { recursive: true }), /has no TOSCA-Metadata\/TOSCA.meta/],
  [
    'no manifest',
    () => write({ 'TOSCA-Metadata/TOSCA.meta': 'Entry-Definitions: Definitions/vnfd.yaml\n' }),
    /names no manifest; add a line such as/,
  ],
  ['a manifest without metadata', () => write({ 'small.mf': '' }), /small.mf does not begin with "metadata:"/],
  [
    'a manifest that would lose something',
    () => write({ 'small.mf': `${METADATA}\nSource: a\nnon_mano_artifact_sets:\n` }),
    /has "non_mano_artifact_sets:" after the first block/,
  ],
  ['a VNFD that is none', () => write({ 'Definitions/vnfd.yaml': 'a: [' }), /Definitions\/vnfd.yaml is not YAML/],
  [
    'a stale hash in TOSCA.meta',
    () =>
      write({
        'TOSCA-Metadata/TOSCA.meta': `${SMALL_PACKAGE['TOSCA-Metadata/TOSCA.meta']}\nName: Scripts/install.sh\nAlgorithm: SHA-256\nHash: ${sha('sha256', 'x')}\n`,
      }),
    /Scripts\/install.sh does not have the hash that TOSCA-Metadata\/TOSCA.meta gives/,
  ],
  ['an output that is a folder', () => mkdir(out), /cannot be packed as .*out.zip/],
  ['an output that cannot be written', () => mkdir(`${out}.part`), /cannot be packed as .*out.zip/],
];

test.each(REFUSED)('%s is refused, and no archive is left', async (_, spoil, sentence) => {
  await spoil();
  await expect(packCsar(source, out)).rejects.toMatchObject({
    code: 'CSAR_INVALID',
    message: expect.stringMatching(sentence),
  });
  const left = await readdir(folder, { withFileTypes: true });
  expect(left.filter((item) => item.isFile())).toEqual([]);
});

test('an invalid package does not replace the package that was packed before', async () => {
  await packCsar(source, out);
  const good = await readFile(out);
  await write({ 'BaseHOT/simple/top.yaml': 'a: [' });
  await expect(packCsar(source, out)).rejects.toThrow('BaseHOT/simple/top.yaml is not YAML');
  expect(await readFile(out)).toEqual(good);
});

test('the sample package packs and reads back with both flavours and its install script', async () => {
  await packCsar(SAMPLE, out);
  const { vnfd, files, additionalArtifacts, softwareImages } = await readCsar(out);
  expect(vnfd.vnfdId).toBe('d34ac189-5376-493f-828f-224dd5fe7393');
  expect(vnfd.flavours.map(({ id }) => id).toSorted()).toEqual(['complex', 'simple']);
  expect(files.get('Scripts/install_k8s_cluster.sh')?.subarray(0, 2).toString()).toBe('#!');
  expect(additionalArtifacts.map(({ artifactPath }) => artifactPath)).toContain('Scripts/install_k8s_cluster.sh');
  expect(softwareImages.map(({ id }) => id)).toEqual(['masterNode', 'workerNode']);
});
