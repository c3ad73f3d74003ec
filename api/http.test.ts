import { randomUUID } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenPackage } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';
import { startApi } from './start-api.ts';

const test = await startFileApi({
  limits: { pageSize: 2, packageBytes: 100_000, bodyPace: { windowMs: 1_000, leastBytes: 1_000 } },
});

const INSTANCES = '/vnflcm/v2/vnf_instances';

it.each(['/vnflcm/v2/vnf_instances', '/vnfpkgm/v1/vnf_packages', '/vnflow/v1/openapi.json', '/', '/no/such'])(
  '%s needs a token',
  async (path) => {
    for (const token of [null, 'wrong']) {
      const answer = await test.call('GET', path, { token });
      expect(answer).toMatchObject({ status: 401, json: { status: 401, code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Keystone uri="http://127.0.0.1:5000/v3"');
    }
  },
);

it('401 of a VIM request is a TackerError', async () => {
  expect(await test.call('GET', '/v1.0/vims.json', { token: null })).toMatchObject({
    status: 401,
    json: { TackerError: { type: 'HTTPUnauthorized', message: 'The header X-Auth-Token is missing.' } },
  });
});

it('takes a bearer token too', async () => {
  const headers = { Authorization: `Bearer reader@${test.tenant}` };
  expect((await test.call('GET', INSTANCES, { token: null, headers })).status).toBe(200);
});

it('a reader may read, and any other caller needs a role in a project', async () => {
  const reader = `reader@${test.tenant}`;
  expect((await test.call('GET', INSTANCES, { token: reader })).status).toBe(200);
  const write = await test.call('POST', INSTANCES, { token: reader, json: { vnfdId: 'x' } });
  expect(write).toMatchObject({
    status: 403,
    json: { code: 'FORBIDDEN', detail: expect.stringMatching(/member or admin/) },
  });
  expect((await test.call('GET', INSTANCES, { token: `creator@${test.tenant}` })).status).toBe(403);
  expect((await test.call('GET', INSTANCES, { token: 'member@' })).json.detail).toMatch(/not scoped to a project/);
});

it('answers 503 when Keystone is down, and only for tokens that are not in the cache', async () => {
  await test.call('GET', INSTANCES);
  test.keystone.down = true;
  try {
    expect((await test.call('GET', INSTANCES)).status).toBe(200);
    const answer = await test.call('GET', INSTANCES, { token: `member@${randomUUID()}` });
    expect(answer).toMatchObject({ status: 503, json: { code: 'KEYSTONE_UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  } finally {
    test.keystone.down = false;
  }
});

it('authenticates before it reads an upload', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const upload = httpRequest(
      `${test.api.url}/vnfpkgm/v1/vnf_packages/${randomUUID()}/package_content`,
      { method: 'PUT', headers: { 'Content-Type': 'application/zip', 'Content-Length': '1000000000' } },
      (response) => {
        resolve(response.statusCode);
        upload.destroy();
      },
    );
    upload.on('error', reject);
    upload.write('PK');
  });
  expect(status).toBe(401);
});

/** Sends the beginning of a body, and then what `more` writes. @returns status, and the code of the problem */
async function sendSlowly(path: string, more: (upload: ClientRequest) => void): Promise<[number | undefined, string]> {
  const { json } = await test.call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} });
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': path === '' ? 'application/json' : 'application/zip', 'Content-Length': '90000' };
    const upload = httpRequest(
      `${test.api.url}/vnfpkgm/v1/vnf_packages${path === '' ? '' : `/${json.id}${path}`}`,
      { method: path === '' ? 'POST' : 'PUT', headers: { ...headers, 'X-Auth-Token': `member@${test.tenant}` } },
      async (response) => {
        const text = (await response.toArray()).join('');
        upload.destroy();
        resolve([response.statusCode, JSON.parse(text).code]);
      },
    );
    upload.on('error', reject);
    more(upload);
  });
}

it.each(['', '/package_content'])('cuts off a body that trickles, and says so (%s)', async (path) => {
  const drops: NodeJS.Timeout[] = [];
  const slow = await sendSlowly(path, (upload) => {
    drops.push(setInterval(() => upload.write(' '), 20));
  });
  drops.forEach(clearInterval);
  expect(slow).toEqual([408, 'BODY_TOO_SLOW']);
});

it('an upload that is aborted is one line of the log, and no error', async () => {
  const { json } = await test.call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} });
  test.logged.length = 0;
  const upload = httpRequest(`${test.api.url}/vnfpkgm/v1/vnf_packages/${json.id}/package_content`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/zip', 'Content-Length': '90000', 'X-Auth-Token': `member@${test.tenant}` },
  });
  upload.on('error', () => {});
  upload.write('PK');
  setTimeout(() => upload.destroy(), 100);
  await expect.poll(() => test.logged.length, { timeout: 5_000 }).toBe(1);
  await setTimeoutPromise(200);
  expect(test.logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, audit: { status: 499, action: 'PUT /vnfpkgm/v1/vnf_packages/:id/package_content' } },
  ]);
});

it('never runs without authentication by accident', async () => {
  const { db, secrets, engine } = test;
  const deps = {
    db,
    secrets,
    engine,
    readCsar: () => Promise.reject(new Error('unused')),
    checkVim: () => Promise.reject(new Error('unused')),
    endpoint: 'http://127.0.0.1',
    log: test.log,
  };
  await expect(startApi({ deps, host: '127.0.0.1', port: 0 })).rejects.toThrow(/insecureNoAuth/);
  const open = { ...deps, insecureNoAuth: true };
  await expect(startApi({ deps: open, host: '0.0.0.0', port: 0 })).rejects.toThrow(/loopback only, not on 0\.0\.0\.0/);
  const api = await startApi({ deps: open, host: '127.0.0.1', port: 0 });
  try {
    const get = async (headers: Record<string, string>) =>
      (await fetch(`${api.url}${INSTANCES}`, { headers: { Version: '2.0.0', ...headers } })).status;
    expect(await get({})).toBe(200);
    expect(await get({ Origin: api.url })).toBe(200);
    expect(await get({ Origin: 'http://evil.example' })).toBe(403);
  } finally {
    await api.stop();
  }
});

it('health needs no token, and its answer contains nothing else', async () => {
  expect(await test.call('GET', '/vnflow/v1/health', { token: null })).toMatchObject({
    status: 200,
    text: '{"status":"ok","checks":[{"name":"store","ok":true}]}',
  });
});

it('pages follow the Link header, filter included', async () => {
  const token = `member@${randomUUID()}`;
  const { vnfdId } = await givenPackage({
    ...test,
    call: (method, path, options) => test.call(method, path, { token, ...options }),
  });
  for (let count = 0; count < 5; count++) await test.call('POST', INSTANCES, { json: { vnfdId }, token });
  const seen: string[] = [];
  let path = `${INSTANCES}?filter=${encodeURIComponent(`(eq,vnfdId,${vnfdId})`)}`;
  for (let pages = 0; pages < 4 && path !== ''; pages++) {
    const { json, headers } = await test.call('GET', path, { token });
    seen.push(...json.map(({ id }: { id: string }) => id));
    const link = headers.get('link') ?? '';
    expect(
      link === '' || /^<http:\/\/vnfm\.example:9890\/vnflcm\/v2\/vnf_instances\?filter=[^>]+>;rel="next"$/.test(link),
    ).toBe(true);
    path = link === '' ? '' : link.slice('<http://vnfm.example:9890'.length, link.indexOf('>'));
  }
  expect(seen).toHaveLength(5);
  expect(new Set(seen).size).toBe(5);
});

it('a path may begin with two slashes, and pages go on without them', async () => {
  const token = `member@${randomUUID()}`;
  const call: typeof test.call = (method, path, options) => test.call(method, path, { token, ...options });
  const { vnfdId, packageId } = await givenPackage({ ...test, call });
  for (let count = 0; count < 3; count++) await call('POST', '//vnflcm/v1/vnf_instances', { json: { vnfdId } });
  const list = await call('GET', '//vnflcm/v1/vnf_instances');
  expect(list.json).toHaveLength(2);
  expect(list.headers.get('link')).toMatch(/^<http:\/\/vnfm\.example:9890\/vnflcm\/v1\/vnf_instances\?/);
  expect((await call('GET', `//vnfpkgm/v1/vnf_packages/${packageId}`)).status).toBe(200);
  expect((await call('GET', '//vims.example/v1.0/vims')).status).toBe(404);
});

it('an unexpected error is 500 without its text, and the log has no secrets', async () => {
  const { id } = await givenInstance(test);
  const broken = test.engine.control;
  test.engine.control = () => Promise.reject(new Error('password=hunter2'));
  test.engine.mode = 'accept';
  try {
    const { headers } = await test.call('POST', `${INSTANCES}/${id}/instantiate`, {
      json: sampleRequest('instantiate-simple'),
    });
    const opOccId = headers.get('location')?.split('/').at(-1);
    await test.db
      .updateTable('vnfLcmOpOcc')
      .set({ operationState: 'FAILED_TEMP' })
      .where('id', '=', opOccId ?? '')
      .execute();
    const answer = await test.call('POST', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}/fail`);
    expect(answer).toMatchObject({ status: 500, json: { code: 'INTERNAL' } });
    expect(answer.text).not.toContain('hunter2');
    expect(answer.text).not.toMatch(/at .*\.ts/);
    expect(test.logged.join('')).not.toContain('devstack');
  } finally {
    test.engine.control = broken;
  }
});

it('the OpenAPI document names the resources and their bodies', async () => {
  const { json } = await test.call('GET', '/vnflow/v1/openapi.json');
  expect(json.openapi).toBe('3.1.0');
  const instantiate = json.paths['/vnflcm/v2/vnf_instances/{id}/instantiate'].post;
  expect(instantiate.requestBody.content['application/json'].schema.required).toContain('flavourId');
});
