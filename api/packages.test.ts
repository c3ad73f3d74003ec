import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenPackage } from '../test/testing/api/given.ts';
import { samplePackageFiles } from '../test/testing/api/sample-package.ts';
import { zipOf } from './vnfpkgm/zip-of.ts';

const test = await startFileApi();

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const ZIP = { 'Content-Type': 'application/zip' };

async function created(): Promise<string> {
  return (await test.call('POST', PACKAGES, { json: {} })).json.id;
}

it('creates a package as Tacker answers it: relative links, no Version', async () => {
  const { status, headers, json } = await test.call('POST', PACKAGES, { json: { userDefinedData: { a: 'b' } } });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`${PACKAGES}/${json.id}`);
  expect(headers.get('version')).toBeNull();
  expect(json).toEqual({
    id: json.id,
    onboardingState: 'CREATED',
    operationalState: 'DISABLED',
    usageState: 'NOT_IN_USE',
    userDefinedData: { a: 'b' },
    _links: {
      self: { href: `${PACKAGES}/${json.id}` },
      packageContent: { href: `${PACKAGES}/${json.id}/package_content` },
    },
  });
  expect((await test.call('GET', `${PACKAGES}/${json.id}`)).json).toEqual(json);
});

it('onboards an upload: 202, empty; then ONBOARDED and ENABLED with what the VNFD says', async () => {
  const id = await created();
  const vnfdId = randomUUID();
  const upload = await test.call('PUT', `${PACKAGES}/${id}/package_content`, { body: `CSAR ${vnfdId}`, headers: ZIP });
  expect({ status: upload.status, text: upload.text }).toEqual({ status: 202, text: '' });
  expect((await test.call('GET', `${PACKAGES}/${id}`)).json).toMatchObject({
    onboardingState: 'ONBOARDED',
    operationalState: 'ENABLED',
    usageState: 'NOT_IN_USE',
    vnfdId,
    vnfProvider: 'Company',
    vnfProductName: 'Sample VNF',
    vnfSoftwareVersion: '1.0',
    vnfdVersion: '1.0',
    checksum: { algorithm: 'sha512', hash: 'ab' },
    softwareImages: [{ id: 'masterNode' }],
    additionalArtifacts: [{ artifactPath: 'Scripts/install_k8s_cluster.sh' }],
  });
});

it('onboards a real archive of the sample package', async () => {
  const id = await created();
  const body = new Uint8Array(await zipOf([...samplePackageFiles()].sort()));
  const upload = await test.call('PUT', `${PACKAGES}/${id}/package_content`, { body, headers: ZIP });
  expect(upload, test.logged.join('')).toMatchObject({ status: 202, text: '' });
  const { json } = await test.call('GET', `${PACKAGES}/${id}`);
  expect(json).toMatchObject({ onboardingState: 'ONBOARDED', vnfProductName: 'Sample VNF' });
  expect(json.checksum.hash).toMatch(/^[0-9a-f]{128}$/);
});

it.each([
  ['a body that is no archive', { body: 'hello', headers: ZIP }, 400, 'CSAR_INVALID', /no zip archive/],
  ['an empty body', { headers: ZIP }, 400, 'BAD_REQUEST', /empty/],
  ['a body that is too large', { body: 'x'.repeat(100_001), headers: ZIP }, 413, 'TOO_LARGE', /100000 bytes/],
  [
    'another Content-Type',
    { body: 'x', headers: { 'Content-Type': 'text/plain' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    /application\/zip/,
  ],
] as const)(
  'an upload of %s is refused and leaves the package CREATED',
  async (_name, options, status, code, words) => {
    const id = await created();
    const answer = await test.call('PUT', `${PACKAGES}/${id}/package_content`, options);
    expect(answer).toMatchObject({ status, json: { status, code, detail: expect.stringMatching(words) } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect((await test.call('GET', `${PACKAGES}/${id}`)).json).toMatchObject({
      onboardingState: 'CREATED',
      operationalState: 'DISABLED',
    });
    const content = await test.db.selectFrom('vnfPackageContent').selectAll().where('packageId', '=', id).execute();
    expect(content).toEqual([]);
  },
);

it('sends the client of a large upload the reason of the refusal, with and without Content-Length', async () => {
  const id = await created();
  for (const headers of [{ 'Content-Length': '30000000' }, {}]) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const upload = request(
        `${test.api.url}${PACKAGES}/${id}/package_content`,
        { method: 'PUT', headers: { ...ZIP, ...headers, 'X-Auth-Token': `member@${test.tenant}` } },
        (response) => {
          resolve(response.statusCode);
          upload.destroy();
        },
      );
      upload.on('error', reject);
      for (let count = 0; count < 30; count++) upload.write(Buffer.alloc(1_000_000, 'x'));
    });
    expect(status).toBe(413);
  }
});

it('a package is uploaded once, and a vnfdId is onboarded once', async () => {
  const { packageId, vnfdId } = await givenPackage(test);
  const again = { body: `CSAR ${vnfdId}`, headers: ZIP };
  expect(await test.call('PUT', `${PACKAGES}/${packageId}/package_content`, again)).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', detail: expect.stringMatching(/is ONBOARDED/) },
  });
  const id = await created();
  expect(await test.call('PUT', `${PACKAGES}/${id}/package_content`, again)).toMatchObject({
    status: 409,
    json: { detail: expect.stringMatching(new RegExp(`${vnfdId} is already onboarded in VNF package ${packageId}`)) },
  });
  const both = await Promise.all(
    [await created(), await created()].map((one) =>
      test.call('PUT', `${PACKAGES}/${one}/package_content`, { body: 'CSAR raced', headers: ZIP }),
    ),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
});

it('downloads the archive whole and in ranges', async () => {
  const { packageId, vnfdId } = await givenPackage(test);
  const get = (headers = {}) => test.call('GET', `${PACKAGES}/${packageId}/package_content`, { headers });
  const whole = await get({ Accept: 'application/zip' });
  expect(whole).toMatchObject({ status: 200, text: `CSAR ${vnfdId}` });
  expect(whole.headers.get('content-type')).toBe('application/zip');
  const part = await get({ Range: 'bytes=5-8' });
  expect(part).toMatchObject({ status: 206, text: vnfdId.slice(0, 4) });
  expect(part.headers.get('content-range')).toBe('bytes 5-8/41');
  expect((await get({ Range: 'bytes=-2' })).text).toBe(vnfdId.slice(-2));
  expect((await get({ Range: 'bytes=40-' })).text).toBe(vnfdId.slice(-1));
  expect((await get({ Range: 'bytes=41-' })).status).toBe(416);
  expect((await get({ Range: 'bytes=0-41' })).status).toBe(416);
  expect((await get({ Range: 'bytes=0-1,3-4' })).status).toBe(400);
  expect((await test.call('GET', `${PACKAGES}/${await created()}/package_content`)).status).toBe(409);
});

it('gives the VNFD as zip, as text only when it is one file', async () => {
  const { packageId } = await givenPackage(test);
  const get = (accept: string) => test.call('GET', `${PACKAGES}/${packageId}/vnfd`, { headers: { Accept: accept } });
  for (const accept of ['application/zip', 'text/plain,application/zip']) {
    const zip = await get(accept);
    expect(zip.status).toBe(200);
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect(zip.text).toContain('Definitions/flavour_simple.yaml');
    expect(zip.text).not.toContain('Scripts/');
  }
  expect((await get('text/plain')).status).toBe(400);
  expect((await get('*/*')).status).toBe(406);
  await test.db
    .deleteFrom('vnfPackageFile')
    .where('packageId', '=', packageId)
    .where('path', '!=', 'Definitions/flavour_simple.yaml')
    .execute();
  const text = await get('text/plain');
  expect(text.headers.get('content-type')).toBe('text/plain');
  expect(text.text).toBe(samplePackageFiles().get('Definitions/flavour_simple.yaml')?.toString('utf8'));
});

it('gives listed artifacts, and nothing else', async () => {
  const { packageId } = await givenPackage(test);
  const get = (path: string, headers = {}) =>
    test.call('GET', `${PACKAGES}/${packageId}/artifacts/${path}`, { headers });
  const script = await get('Scripts/install_k8s_cluster.sh');
  expect(script.status).toBe(200);
  expect(script.text).toMatch(/^#!/);
  expect(script.headers.get('content-type')).toBe('text/x-sh; charset=utf-8');
  expect(await get('Scripts/install_k8s_cluster.sh', { Range: 'bytes=0-1' })).toMatchObject({
    status: 206,
    text: '#!',
  });
  for (const path of ['Definitions/flavour_simple.yaml', 'Scripts/..%2f..%2fetc%2fpasswd', 'no/such']) {
    expect(await get(path)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  }
});

it('lists packages with selectors and filter, a hundred a page', async () => {
  const { packageId, vnfdId } = await givenPackage(test);
  const filter = `filter=${encodeURIComponent(`(eq,vnfdId,${vnfdId})`)}`;
  const { json } = await test.call('GET', `${PACKAGES}?${filter}`);
  expect(json).toEqual([expect.objectContaining({ id: packageId, onboardingState: 'ONBOARDED' })]);
  expect(Object.keys(json[0])).not.toContain('softwareImages');
  expect((await test.call('GET', `${PACKAGES}?all_fields&${filter}`)).json[0].softwareImages).toHaveLength(1);
  expect((await test.call('GET', `${PACKAGES}?fields=checksum&${filter}`)).json[0].checksum).toBeDefined();
  for (const wrong of [
    `filter=${encodeURIComponent('(eq,nothing,x)')}`,
    'fields=id,nothing',
    'exclude_fields=nothing',
  ]) {
    expect(await test.call('GET', `${PACKAGES}?${wrong}`)).toMatchObject({
      status: 400,
      json: { detail: expect.stringMatching(/nothing is no attribute/) },
    });
  }

  const token = `member@${randomUUID()}`;
  for (let count = 0; count < 101; count++) await test.call('POST', PACKAGES, { json: {}, token });
  const first = await test.call('GET', `${PACKAGES}?exclude_default`, { token });
  expect(first.json).toHaveLength(100);
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(next).toMatch(/^\/vnfpkgm\/v1\/vnf_packages\?exclude_default=&nextpage_opaque_marker=/);
  const second = await test.call('GET', next, { token });
  expect(second.json).toHaveLength(1);
  expect(second.headers.get('link')).toBeNull();
  expect((await test.call('GET', `${PACKAGES}?all_records=yes`, { token })).json).toHaveLength(101);
});

it('PATCH answers with the changed members; what changes nothing is a conflict', async () => {
  const { packageId } = await givenPackage(test);
  const patch = (json: unknown, id = packageId) => test.call('PATCH', `${PACKAGES}/${id}`, { json });
  expect(await patch({ operationalState: 'DISABLED' })).toMatchObject({
    status: 200,
    text: '{"operationalState":"DISABLED"}',
  });
  expect(await patch({ operationalState: 'DISABLED' })).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  const merge = await test.call('PATCH', `${PACKAGES}/${packageId}`, {
    body: '{"userDefinedData":{"a":"1","b":"2"}}',
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  expect(merge).toMatchObject({ status: 200, text: '{"userDefinedData":{"a":"1","b":"2"}}' });
  expect((await patch({ userDefinedData: { a: '1' } })).status).toBe(409);
  // as in Tacker, the answer has what changed
  expect((await patch({ userDefinedData: { a: '2', b: '2', c: '3' } })).json).toEqual({
    userDefinedData: { a: '2', c: '3' },
  });
  expect((await patch({ userDefinedData: { b: '2', c: null } })).json).toEqual({ userDefinedData: { c: null } });
  expect((await patch({ userDefinedData: { a: null } })).status).toBe(200);
  expect((await test.call('GET', `${PACKAGES}/${packageId}`)).json.userDefinedData).toEqual({ b: '2' });
  expect(await patch({})).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/operationalState or/) },
  });
  expect((await patch({ operationalState: 'on' })).status).toBe(400);
  expect(await patch({ operationalState: 'ENABLED' }, await created())).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/is CREATED/) },
  });
});

it('deletes a package that is disabled and not in use', async () => {
  const { packageId, id } = await givenInstance(test);
  const remove = () => test.call('DELETE', `${PACKAGES}/${packageId}`);
  expect(await remove()).toMatchObject({ status: 409, json: { detail: expect.stringMatching(/ENABLED/) } });
  await test.call('PATCH', `${PACKAGES}/${packageId}`, { json: { operationalState: 'DISABLED' } });
  expect(await remove()).toMatchObject({ status: 409, json: { detail: expect.stringMatching(/IN_USE/) } });
  await test.call('DELETE', `/vnflcm/v2/vnf_instances/${id}`);
  expect(await remove()).toMatchObject({ status: 204, text: '' });
  expect((await remove()).status).toBe(404);
});

it("another project's package does not exist", async () => {
  const { packageId, vnfdId } = await givenPackage(test);
  const token = `admin@${randomUUID()}`;
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/package_content'],
    ['PUT', '/package_content'],
  ] as const) {
    expect((await test.call(method, `${PACKAGES}/${packageId}${path}`, { token, headers: ZIP })).status).toBe(404);
  }
  const create = await test.call('POST', '/vnflcm/v2/vnf_instances', { json: { vnfdId }, token });
  expect(create.status).toBe(422);
});
