import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handmadeZip } from '../test/testing/packages/handmade-zip.ts';
import { block, SCRIPT, SMALL_PACKAGE, sha, smallPackage } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';

const AT = { now: new Date('2024-04-16T04:22:31.987Z') };

test('a package is read: VNFD, sizes and hashes of all files, contents of all but the image', async () => {
  const archive = handmadeZip(smallPackage());
  const csar = await readCsar(archive);

  expect(csar.vnfd).toMatchObject({ vnfdId: 'b1bb0ce7-ebca-4fa7-95ed-4840d70a1177', productName: 'Small VNF' });
  expect(csar.checksum).toEqual({ algorithm: 'sha512', hash: sha('sha512', archive) });
  expect(csar.entries).toEqual(
    Object.entries(SMALL_PACKAGE).map(([path, text]) => ({ path, size: text.length, sha256: sha('sha256', text) })),
  );
  expect([...csar.files.keys()]).toEqual(Object.keys(SMALL_PACKAGE).filter((path) => !path.endsWith('.img')));
  expect(csar.files.get('Scripts/install.sh')?.toString()).toBe(SCRIPT);
});

test('a deflated archive with folders gives the result of a stored one', async () => {
  const stored = await readCsar(handmadeZip(smallPackage()));
  const deflated = await readCsar(
    handmadeZip([
      { name: 'Scripts/', mode: 0o040755 },
      ...smallPackage().map((entry) => ({ ...entry, deflate: true })),
    ]),
  );
  expect(deflated.entries).toEqual(stored.entries);
  expect(deflated.files).toEqual(stored.files);
  expect(deflated.checksum.hash).not.toBe(stored.checksum.hash);
});

test('an archive on disk gives the result of one in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csar-'));
  try {
    const archive = handmadeZip(smallPackage());
    await writeFile(join(folder, 'small.zip'), archive);
    expect(await readCsar(join(folder, 'small.zip'), undefined, AT)).toEqual(await readCsar(archive, undefined, AT));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('software images are listed as VnfPkgInfo has them', async () => {
  const { softwareImages } = await readCsar(handmadeZip(smallPackage()), undefined, AT);
  expect(softwareImages).toEqual([
    {
      id: 'masterNode',
      name: 'masterNode-image',
      provider: '',
      version: '22.04',
      checksum: { algorithm: 'sha-512', hash: 'aa6e' },
      containerFormat: 'bare',
      diskFormat: 'qcow2',
      createdAt: '2024-04-16 04:22:31+00:00',
      minDisk: 0,
      minRam: 0,
      size: 2_000_000_000,
      userMetadata: {},
      imagePath: 'Files/images/node.img',
    },
  ]);
});

test('additional artifacts are the files with a hash, except definitions and images', async () => {
  const vnfd = SMALL_PACKAGE['Definitions/vnfd.yaml'] ?? '';
  const manifest = [
    block('Definitions/vnfd.yaml', 'SHA-256', sha('sha256', vnfd)),
    block('Scripts/install.sh', 'sha-384', sha('sha384', SCRIPT).toUpperCase()),
    'Source: UserData/not-there.py\nContent-Type: text/plain\n',
  ].join('');
  const { additionalArtifacts } = await readCsar(handmadeZip(smallPackage({ 'small.mf': manifest })));
  expect(additionalArtifacts).toEqual([
    {
      artifactPath: 'Scripts/install.sh',
      checksum: { algorithm: 'sha-384', hash: sha('sha384', SCRIPT).toUpperCase() },
      metadata: {},
    },
  ]);
});

test.each(['sha224', 'sha256', 'sha384', 'sha512'])('hashes with %s are checked', async (algorithm) => {
  const name = algorithm.replace('sha', 'Sha-');
  const right = block('Scripts/install.sh', name, sha(algorithm, SCRIPT));
  const wrong = block('Scripts/install.sh', name, sha(algorithm, 'another script'));
  await expect(readCsar(handmadeZip(smallPackage({ 'small.mf': right })))).resolves.toBeDefined();
  await expect(readCsar(handmadeZip(smallPackage({ 'small.mf': wrong })))).rejects.toThrow(
    'Scripts/install.sh does not have the hash that small.mf gives',
  );
});

test('hashes in TOSCA.meta are checked, too', async () => {
  const meta = `${SMALL_PACKAGE['TOSCA-Metadata/TOSCA.meta']}\nName: Scripts/install.sh\nContent-Type: application/x-sh\nAlgorithm: SHA-256\nHash: ${sha('sha256', 'x')}\n`;
  await expect(readCsar(handmadeZip(smallPackage({ 'TOSCA-Metadata/TOSCA.meta': meta })))).rejects.toThrow(
    'Scripts/install.sh does not have the hash that TOSCA-Metadata/TOSCA.meta gives',
  );
});

test('images are not hashed against the manifest, as in Tacker', async () => {
  const manifest = block('Files/images/node.img', 'SHA-256', sha('sha256', 'another image'));
  const csar = await readCsar(handmadeZip(smallPackage({ 'small.mf': manifest })));
  expect(csar.additionalArtifacts).toEqual([]);
});

test('a signed manifest is read up to its signature', async () => {
  const manifest = `${SMALL_PACKAGE['small.mf']}\n-----BEGIN CMS-----\nHash: MIIGDAYJKoZI\n-----END CMS-----\n`;
  const csar = await readCsar(handmadeZip(smallPackage({ 'small.mf': manifest })));
  expect(csar.additionalArtifacts).toHaveLength(1);
});

test('a package without TOSCA.meta has its VNFD at the root, and a manifest with the name of the VNFD', async () => {
  const vnfd = SMALL_PACKAGE['Definitions/vnfd.yaml']?.replace('../Files', 'Files') ?? '';
  const files = { 'TOSCA-Metadata/TOSCA.meta': undefined, 'Definitions/vnfd.yaml': undefined, 'small.yaml': vnfd };
  const csar = await readCsar(handmadeZip(smallPackage(files)));
  expect(csar.vnfd.productName).toBe('Small VNF');
  expect(csar.additionalArtifacts.map(({ artifactPath }) => artifactPath)).toEqual(['Scripts/install.sh']);
  await expect(readCsar(handmadeZip(smallPackage({ ...files, 'more.yaml': vnfd })))).rejects.toThrow(
    'several YAML files at its root (small.yaml, more.yaml)',
  );
  await expect(readCsar(handmadeZip(smallPackage({ ...files, 'other.mf': '' })))).rejects.toThrow('rename it small.mf');
});
