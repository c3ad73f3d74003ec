import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHostRules } from '../network/host-rules.ts';
import { handmadeZip } from '../test/testing/packages/handmade-zip.ts';
import { block, SMALL_PACKAGE, sha, smallPackage } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';

const CONTENT = 'kind: StorageClass\n';
let served = 0;
const server = createServer((request, response) => {
  served += 1;
  response.writeHead(request.url === '/gone.yaml' ? 404 : 200).end(CONTENT);
});
beforeAll(async () => {
  server.listen(0, 'localhost');
  await once(server, 'listening');
});
afterAll(() => server.close());

const uri = (name: string) => `http://localhost:${(server.address() as AddressInfo).port}/${name}`;
const read = (source: string, hash: string, remoteHosts?: readonly string[]) =>
  readCsar(
    handmadeZip(smallPackage({ 'small.mf': `${SMALL_PACKAGE['small.mf']}\n${block(source, 'SHA-256', hash)}` })),
    undefined,
    remoteHosts ? { remoteHosts: createHostRules({ trusted: remoteHosts }) } : {},
  );

it('an artifact by URI is fetched, its hash is checked, and the package lists it', async () => {
  const hash = sha('sha256', CONTENT);
  const { additionalArtifacts } = await read(uri('class.yaml'), hash, ['localhost']);
  expect(additionalArtifacts).toContainEqual({
    artifactPath: uri('class.yaml'),
    checksum: { algorithm: 'SHA-256', hash },
    metadata: {},
  });
});

it.each([
  ['has another hash', () => uri('class.yaml'), /serves does not have the Hash/],
  ['is not served', () => uri('gone.yaml'), /the server answered 404/],
  [
    'lies at a metadata address',
    () => 'http://169.254.169.254/latest',
    /^(?!.*addressInformation).*a link-local or metadata address/s,
  ],
  ['is no http', () => 'ftp://host/file', /only http and https/],
])('an artifact that %s refuses the package', async (_, source, message) => {
  await expect(read(source(), sha('sha256', 'other'), ['localhost'])).rejects.toMatchObject({
    code: 'CSAR_INVALID',
    message: expect.stringMatching(message),
  });
});

it('the address rules of packages hold: loopback is refused where it is not allowed by name', async () => {
  await expect(read(uri('class.yaml'), sha('sha256', CONTENT), [])).rejects.toThrow(/a loopback address/);
});

it('nothing is fetched where nobody allows it, and no image is', async () => {
  await expect(read(uri('class.yaml'), sha('sha256', CONTENT))).rejects.toThrow(/nothing is fetched here/);
  const before = served;
  await read(uri('node.qcow2'), sha('sha256', 'other'), ['localhost']);
  expect(served).toBe(before);
});
