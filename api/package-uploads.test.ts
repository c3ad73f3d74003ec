import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createHostRules } from '../network/host-rules.ts';
import { secretName } from '../store/secrets.ts';
import { startTestApi, type TestApi } from '../test/testing/api/test-api.ts';
import { apiContext } from './dependencies.ts';
import { createPackageUploads, type PackageUploads } from './vnfpkgm/package-uploads.ts';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const PATHS: Readonly<Record<string, readonly [status: number, body: string, location?: string]>> = {
  '/missing.zip': [404, ''],
  '/moved.zip': [302, '', 'http://169.254.169.254/latest/meta-data'],
  '/large.zip': [200, 'x'.repeat(100_001)],
  '/text.zip': [200, 'hello'],
};

let test: TestApi;
const seen: { path: string; authorization: string | undefined }[] = [];
/** Paths whose answers wait. */
const held = new Map<string, Promise<void>>();
const files = createServer(async (request, response) => {
  const path = request.url ?? '';
  seen.push({ path, authorization: request.headers.authorization });
  await held.get(path);
  const [status, body, location] = PATHS[path] ?? [200, `CSAR ${path.slice(1)}`];
  response.writeHead(status, location === undefined ? {} : { Location: location });
  response.end(body);
});
beforeAll(async () => {
  test = await startTestApi({ packageHosts: createHostRules({ trusted: ['localhost'] }) });
  files.listen(0, 'localhost');
  await once(files, 'listening');
});
afterAll(async () => {
  files.close();
  await test.stop();
});

const address = (path: string) => `http://localhost:${(files.address() as AddressInfo).port}${path}`;

async function created(): Promise<string> {
  return (await test.call('POST', PACKAGES, { json: {} })).json.id;
}

async function upload(json: object, id: string, call = test.call) {
  return call('POST', `${PACKAGES}/${id}/package_content/upload_from_uri`, { json });
}

async function settled(id: string, call = test.call) {
  return vi.waitFor(
    async () => {
      const { json } = await call('GET', `${PACKAGES}/${id}`);
      expect(json.onboardingState === 'ONBOARDED' || json.onboardingFailureDetails !== undefined).toBe(true);
      return json;
    },
    { timeout: 30_000, interval: 50 },
  );
}

/** The uploads of another process, which reads the VNFD with this id in every package. */
function createUploads(vnfdId: string): PackageUploads {
  const { db, secrets, engine, log } = test;
  const vnfd = { vnfdId, provider: 'Company', productName: 'VNF', softwareVersion: '1', vnfdVersion: '1' };
  return createPackageUploads(
    apiContext({
      db,
      secrets,
      engine,
      log,
      readCsar: async () => ({
        vnfd,
        checksum: { algorithm: 'sha512', hash: 'ab' },
        softwareImages: [],
        entries: [],
        additionalArtifacts: [],
        files: new Map(),
      }),
      checkVim: async () => ({ regions: [] }),
      endpoint: 'http://127.0.0.1',
      packageHosts: createHostRules({ trusted: ['localhost'] }),
    }),
  );
}

it('fetches a package with basic authentication, and keeps nothing of the login', async () => {
  const id = await created();
  const vnfdId = randomUUID();
  const request = { addressInformation: address(`/${vnfdId}`), userName: 'somebody', password: 'very-secret' };
  expect(await upload(request, id)).toMatchObject({ status: 202, text: '' });
  expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED', operationalState: 'ENABLED', vnfdId });
  const authorization = `Basic ${Buffer.from('somebody:very-secret').toString('base64')}`;
  expect(seen).toContainEqual({ path: `/${vnfdId}`, authorization });
  await vi.waitFor(async () => expect(await test.secrets.get(secretName.packageUpload(id))).toBeUndefined());
  expect(test.logged.join('')).not.toContain('very-secret');
  expect(await upload(request, id)).toMatchObject({
    status: 409,
    json: { detail: expect.stringMatching(/ONBOARDED/) },
  });
});

it.each([
  ['that is missing', '/missing.zip', 'PACKAGE_FETCH', /answered 404/],
  ['that has moved', '/moved.zip', 'PACKAGE_FETCH', /answered 302; redirects are not followed/],
  ['that is too large', '/large.zip', 'PACKAGE_FETCH', /more than 100000 bytes/],
  ['that is none', '/text.zip', 'CSAR_INVALID', /no zip archive/],
])('a package %s makes it CREATED again, with the reason', async (_what, path, code, detail) => {
  const id = await created();
  expect((await upload({ addressInformation: address(path) }, id)).status).toBe(202);
  expect(await settled(id)).toMatchObject({
    onboardingState: 'CREATED',
    operationalState: 'DISABLED',
    onboardingFailureDetails: { code, detail: expect.stringMatching(detail) },
  });
  const again = randomUUID();
  expect((await upload({ addressInformation: address(`/${again}`) }, id)).status).toBe(202);
  await vi.waitFor(
    async () =>
      expect((await test.call('GET', `${PACKAGES}/${id}`)).json).toMatchObject({ onboardingState: 'ONBOARDED' }),
    { timeout: 30_000, interval: 50 },
  );
});

it('lets two direct uploads of a project in at a time, and asks for patience with the third, but not other projects', async () => {
  const answers: (readonly [number | undefined, string | undefined])[] = [];
  const ids = await Promise.all([created(), created(), created()]);
  const open = ids.map((id) => {
    const headers = { 'X-Auth-Token': `member@${test.tenant}`, 'Content-Type': 'application/zip' };
    const sent = request(`${test.api.url}${PACKAGES}/${id}/package_content`, { method: 'PUT', headers });
    sent
      .on('error', () => {})
      .on('response', (answer) => {
        answers.push([answer.statusCode, answer.headers['retry-after']]);
      });
    sent.write('CSAR '); // and then nothing more
    return sent;
  });
  await vi.waitFor(() => expect(answers).toEqual([[503, '10']]), { timeout: 40_000, interval: 50 });
  const token = `member@${randomUUID()}`;
  const { json } = await test.call('POST', PACKAGES, { json: {}, token });
  const headers = { 'Content-Type': 'application/zip' };
  const path = `${PACKAGES}/${json.id}/package_content`;
  expect((await test.call('PUT', path, { body: `CSAR ${randomUUID()}`, headers, token })).status).toBe(202);
  expect(answers).toHaveLength(1);
  for (const each of open) each.destroy();
});

it('refuses a package that would take the project over its quota, and keeps nothing of it', async () => {
  const small = await startTestApi({ limits: { projectBytes: 60_000, packageBytes: 100_000 } });
  try {
    const put = async (vnfdId: string) => {
      const { json } = await small.call('POST', PACKAGES, { json: {} });
      const headers = { 'Content-Type': 'application/zip' };
      const path = `${PACKAGES}/${json.id}`;
      const answer = await small.call('PUT', `${path}/package_content`, {
        body: `CSAR ${vnfdId}`.padEnd(40_000),
        headers,
      });
      return { answer, path };
    };
    const first = await put(randomUUID());
    expect(first.answer.status).toBe(202);
    const { answer, path } = await put(randomUUID());
    expect([answer.status, answer.json.code]).toEqual([403, 'PACKAGE_QUOTA']);
    expect((await small.call('GET', path)).json.onboardingState).toBe('CREATED');
    await small.call('PATCH', first.path, { json: { operationalState: 'DISABLED' } });
    expect((await small.call('DELETE', first.path)).status).toBe(204);
    expect((await put(randomUUID())).answer.status).toBe(202);
  } finally {
    await small.stop();
  }
});

it.each([
  'file:///etc/passwd',
  'ftp://example.org/a.zip',
  'http://user:password@example.org/a.zip',
  'http://127.0.0.1/a.zip',
  'http://2130706433/a.zip',
  'http://0.0.0.0/a.zip',
  'http://[::1]/a.zip',
  'http://[::ffff:127.0.0.1]/a.zip',
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/a.zip',
  'not a url',
])('nothing is fetched from %s', async (addressInformation) => {
  const id = await created();
  const answer = await upload({ addressInformation }, id);
  expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  expect(answer.json.detail).toMatch(/^addressInformation: Nothing is fetched/);
  expect(answer.text).not.toContain('password@');
  expect((await test.call('GET', `${PACKAGES}/${id}`)).json.onboardingState).toBe('CREATED');
});

it('a name that has a refused address is refused when it is resolved', async () => {
  const strict = await startTestApi();
  try {
    const { json } = await strict.call('POST', PACKAGES, { json: {} });
    expect((await upload({ addressInformation: address('/rebound') }, json.id, strict.call)).status).toBe(202);
    expect((await settled(json.id, strict.call)).onboardingFailureDetails.detail).toMatch(
      /localhost: it is a loopback address/,
    );
    expect(seen.map(({ path }) => path)).not.toContain('/rebound');
  } finally {
    await strict.stop();
  }
});

it('a process begins no upload anew that it still works on, however long the store has not heard of it', async () => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const vnfdId = randomUUID();
  held.set(`/${vnfdId}`, isOpen);
  const id = await created();
  const uploads = createUploads(vnfdId);
  expect(await uploads.begin({ id, tenant: test.tenant }, { addressInformation: address(`/${vnfdId}`) })).toBe(true);
  await vi.waitFor(() => expect(seen.map(({ path }) => path)).toContain(`/${vnfdId}`));
  await test.db
    .updateTable('vnfPackage')
    .set({ uploadSeenAt: sql`now() - interval '1 minute'` })
    .where('id', '=', id)
    .execute();
  uploads.start(); // it looks at once
  await new Promise((resolve) => setTimeout(resolve, 500));
  open();
  expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED', vnfdId });
  expect(seen.filter(({ path }) => path === `/${vnfdId}`)).toHaveLength(1);
  await uploads.stop();
});

it('another process goes on with the upload of one that died', async () => {
  const id = await created();
  const vnfdId = randomUUID();
  await test.secrets.put(secretName.packageUpload(id), { addressInformation: address(`/${vnfdId}`) }, id);
  await test.db
    .updateTable('vnfPackage')
    .set({ onboardingState: 'PROCESSING', uploadAttempt: randomUUID(), uploadSeenAt: sql`now() - interval '1 minute'` })
    .where('id', '=', id)
    .execute();
  const another = createUploads(vnfdId);
  another.start();
  try {
    expect(await settled(id)).toMatchObject({ onboardingState: 'ONBOARDED', vnfdId });
  } finally {
    await another.stop();
  }
});
