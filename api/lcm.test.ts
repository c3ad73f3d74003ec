import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { readFreeInfo } from '../store/free-info.ts';
import { findOperation } from '../store/operations.ts';
import { secretName } from '../store/secrets.ts';
import { enterState } from '../test/testing/api/enter-state.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenInstantiated, givenOperation, givenPackage } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';

const test = await startFileApi();

const INSTANCES = '/vnflcm/v2/vnf_instances';
const OP_OCCS = '/vnflcm/v2/vnf_lcm_op_occs';
const ENDPOINT = 'http://vnfm.example:9890';

it('creates an instance as Tacker answers it: Location, Version, links, nothing that is not set', async () => {
  const { vnfdId } = await givenPackage(test);
  const body = { vnfdId, vnfInstanceName: 'n', vnfInstanceDescription: '', metadata: { a: 'b' }, unknown: 1 };
  const { status, headers, json } = await test.call('POST', INSTANCES, { json: body });
  expect(status).toBe(201);
  const self = `${ENDPOINT}${INSTANCES}/${json.id}`;
  expect(headers.get('location')).toBe(self);
  expect(headers.get('version')).toBe('2.0.0');
  expect(headers.get('accept-ranges')).toBe('none');
  expect(headers.get('content-type')).toBe('application/json');
  expect(json).toEqual({
    id: json.id,
    vnfInstanceName: 'n',
    vnfdId,
    vnfProvider: 'Company',
    vnfProductName: 'Sample VNF',
    vnfSoftwareVersion: '1.0',
    vnfdVersion: '1.0',
    instantiationState: 'NOT_INSTANTIATED',
    metadata: { a: 'b' },
    _links: { self: { href: self }, instantiate: { href: `${self}/instantiate` } },
  });
  expect((await test.call('GET', `${INSTANCES}/${json.id}`)).json).toEqual(json);
});

it('keeps what looks like a secret in metadata sealed, and shows the rest', async () => {
  const { vnfdId } = await givenPackage(test);
  const metadata = { zone: 'a', api_key: 'canary-8881', list: [{ name: 'password', value: 'canary-8882' }] };
  const { json, text } = await test.call('POST', INSTANCES, { json: { vnfdId, metadata } });
  expect(json.metadata).toEqual({ zone: 'a', list: [{ name: 'password' }] });
  const row = await test.db.selectFrom('vnfInstance').selectAll().where('id', '=', json.id).executeTakeFirstOrThrow();
  expect(text + JSON.stringify(row)).not.toContain('canary-888');
  expect((await readFreeInfo(test.secrets, row)).metadata).toEqual(metadata);
});

it('sends only the headers that Tacker sends (its request_id filter gives each answer an id)', async () => {
  const { id } = await givenInstance(test);
  const { headers } = await test.call('GET', `${INSTANCES}/${id}`);
  expect([...headers.keys()].sort()).toEqual(
    [
      'accept-ranges',
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'version',
      'x-openstack-request-id',
    ].sort(),
  );
});

it("accepts the guide's instantiate request verbatim: 202, empty, and the operation is there at once", async () => {
  const { id } = await givenInstance(test);
  const request = sampleRequest('instantiate-simple');
  const { status, headers, text } = await test.call('POST', `${INSTANCES}/${id}/instantiate`, { json: request });
  expect({ status, text }).toEqual({ status: 202, text: '' });
  const location = headers.get('location') ?? '';
  expect(location).toMatch(/^http:\/\/vnfm\.example:9890\/vnflcm\/v2\/vnf_lcm_op_occs\/[0-9a-f-]{36}$/);
  expect(headers.get('version')).toBe('2.0.0');
  const { json } = await test.call('GET', location.slice(ENDPOINT.length));
  expect(json).toEqual({
    id: location.split('/').at(-1),
    operationState: 'STARTING',
    startedBy: 'somebody',
    stateEnteredTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    vnfInstanceId: id,
    operation: 'INSTANTIATE',
    isAutomaticInvocation: false,
    isCancelPending: false,
    operationParams: expect.objectContaining({ flavourId: 'simple' }),
    _links: {
      self: { href: location },
      vnfInstance: { href: `${ENDPOINT}${INSTANCES}/${id}` },
      cancel: { href: `${location}/cancel` },
      retry: { href: `${location}/retry` },
      rollback: { href: `${location}/rollback` },
      fail: { href: `${location}/fail` },
    },
  });
});

it('seals the whole request and shows it without passwords', async () => {
  const { opOccId } = await givenOperation(test);
  const sealed = await test.secrets.get(secretName.operationParams(opOccId));
  expect(sealed).toEqual(sampleRequest('instantiate-simple'));
  const { text, json } = await test.call('GET', `${OP_OCCS}/${opOccId}`);
  expect(text).not.toContain('devstack');
  expect(json.operationParams.vimConnectionInfo.vim1.accessInfo).toEqual({
    username: 'nfv_user',
    region: 'RegionOne',
    project: 'nfv',
    projectDomain: 'Default',
    userDomain: 'Default',
  });
  expect(json.operationParams.additionalParams.k8s_cluster_installation_param.master_node.password).toBeUndefined();
});

it('an engine that is busy or away leaves nothing behind', async () => {
  const { id } = await givenInstance(test);
  for (const [mode, status, code] of [
    ['busy', 409, 'VNF_BUSY'],
    ['away', 503, 'ENGINE_UNAVAILABLE'],
  ] as const) {
    test.engine.mode = mode;
    const answer = await test.call('POST', `${INSTANCES}/${id}/instantiate`, {
      json: sampleRequest('instantiate-simple'),
    });
    expect(answer).toMatchObject({ status, json: { code } });
    expect(answer.headers.get('retry-after')).toBe(mode === 'away' ? '5' : null);
    expect(await test.db.selectFrom('lcmRequest').selectAll().where('vnfInstanceId', '=', id).execute()).toEqual([]);
    expect(await operationsOf(id)).toEqual([]);
    expect(await secretsLeft()).toEqual([]);
  }
});

it('an operation that was accepted while the answer got lost is answered as accepted', async () => {
  const { id } = await givenInstance(test);
  test.engine.mode = 'answer-lost';
  const { status, headers } = await test.call('POST', `${INSTANCES}/${id}/instantiate`, {
    json: sampleRequest('instantiate-simple'),
  });
  expect(status).toBe(202);
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  expect(await findOperation(test.db, opOccId)).toBeDefined();
  expect(await test.secrets.get(secretName.operationParams(opOccId))).toBeDefined();
});

it('a second operation on a busy instance is 409, in FAILED_TEMP too, and changes nothing', async () => {
  const { id, opOccId } = await givenOperation(test);
  for (const state of ['STARTING', 'FAILED_TEMP'] as const) {
    await enterState(test.db, opOccId, { state, text: state });
    const answer = await test.call('POST', `${INSTANCES}/${id}/instantiate`, {
      json: sampleRequest('instantiate-simple'),
    });
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'VNF_BUSY', detail: `Other LCM operation of vnfInstance ${id} is in progress.` },
    });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect((await test.call('DELETE', `${INSTANCES}/${id}`)).status).toBe(409);
  }
  expect(await operationsOf(id)).toHaveLength(1);
});

it('terminates an instance only when it is instantiated', async () => {
  const { id } = await givenInstantiated(test);
  const graceful = { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 5 };
  expect(await test.call('DELETE', `${INSTANCES}/${id}`)).toMatchObject({
    status: 409,
    json: { code: 'VNF_INSTANTIATED', detail: `VnfInstance ${id} is instantiated.` },
  });
  const again = await test.call('POST', `${INSTANCES}/${id}/instantiate`, {
    json: sampleRequest('instantiate-simple'),
  });
  expect(again).toMatchObject({ status: 409, json: { code: 'VNF_INSTANTIATED' } });
  const { status, headers } = await test.call('POST', `${INSTANCES}/${id}/terminate`, { json: graceful });
  expect(status).toBe(202);
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  expect(await findOperation(test.db, opOccId)).toMatchObject({ operation: 'TERMINATE', operationParams: graceful });

  const other = await givenInstance(test);
  expect(await test.call('POST', `${INSTANCES}/${other.id}/terminate`, { json: graceful })).toMatchObject({
    status: 409,
    json: { code: 'VNF_NOT_INSTANTIATED', detail: `VnfInstance ${other.id} isn't instantiated.` },
  });
});

it('an instantiated instance has the links of its tasks and shows no password', async () => {
  const { id, opOccId } = await givenInstantiated(test);
  const { json } = await test.call('GET', `${INSTANCES}/${id}`);
  expect(Object.keys(json._links)).toEqual(['self', 'terminate', 'scale', 'heal', 'changeExtConn']);
  expect(json._links.changeExtConn.href).toBe(`${ENDPOINT}${INSTANCES}/${id}/change_ext_conn`);
  expect((await test.call('GET', `${OP_OCCS}/${opOccId}`)).json.operationState).toBe('COMPLETED');
});

it('deletes an instance that is at rest', async () => {
  const { id, packageId } = await givenInstance(test);
  expect((await test.call('GET', `/vnfpkgm/v1/vnf_packages/${packageId}`)).json.usageState).toBe('IN_USE');
  const { status, headers, text } = await test.call('DELETE', `${INSTANCES}/${id}`, {
    headers: { 'Content-Type': 'application/json' },
  });
  expect({ status, text }).toEqual({ status: 204, text: '' });
  expect(headers.get('version')).toBe('2.0.0');
  expect((await test.call('GET', `${INSTANCES}/${id}`)).json).toMatchObject({
    status: 404,
    title: 'Not Found',
    detail: `VnfInstance ${id} not found.`,
    code: 'NOT_FOUND',
  });
  expect((await test.call('GET', `/vnfpkgm/v1/vnf_packages/${packageId}`)).json.usageState).toBe('NOT_IN_USE');
});

it('retry and rollback answer 202 without Location, fail answers the operation; in other states 409', async () => {
  const { opOccId } = await givenOperation(test);
  const retry = () => test.call('POST', `${OP_OCCS}/${opOccId}/retry`, { headers: { 'Content-Length': '0' } });
  expect(await retry()).toMatchObject({ status: 409, json: { code: 'OPERATION_STATE' } });
  await enterState(test.db, opOccId, {
    state: 'FAILED_TEMP',
    text: 'x',
    error: { status: 422, detail: 'x' },
  });
  const retried = await retry();
  expect({ status: retried.status, text: retried.text }).toEqual({ status: 202, text: '' });
  expect(retried.headers.get('location')).toBeNull();
  expect((await findOperation(test.db, opOccId))?.operationState).toBe('PROCESSING');
  await enterState(test.db, opOccId, { state: 'FAILED_TEMP', text: 'x' });
  expect(await test.call('POST', `${OP_OCCS}/${opOccId}/rollback`)).toMatchObject({ status: 202, text: '' });
  await enterState(test.db, opOccId, { state: 'FAILED_TEMP', text: 'x' });
  expect(await test.call('POST', `${OP_OCCS}/${opOccId}/fail`)).toMatchObject({
    status: 200,
    json: { id: opOccId, operationState: 'FAILED', error: { detail: 'x' } },
  });
});

it('a rollback that is not supported is refused', async () => {
  const { id } = await givenInstantiated(test);
  const { headers } = await test.call('POST', `${INSTANCES}/${id}/terminate`, {
    json: { terminationType: 'FORCEFUL' },
  });
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  await enterState(test.db, opOccId, { state: 'FAILED_TEMP', text: 'x' });
  expect(await test.call('POST', `${OP_OCCS}/${opOccId}/rollback`)).toMatchObject({
    status: 409,
    json: { code: 'ROLLBACK_NOT_SUPPORTED' },
  });
});

it('lists are arrays with filter and selectors; times have microseconds and no zone', async () => {
  const { id, opOccId } = await givenOperation(test);
  const filter = encodeURIComponent(`(eq,vnfInstanceId,${id})`);
  const { json } = await test.call('GET', `${OP_OCCS}?filter=${filter}`);
  expect(json).toEqual([expect.objectContaining({ id: opOccId })]);
  expect(json[0].operationParams).toBeUndefined();
  expect(json[0].startTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
  const all = await test.call('GET', `${OP_OCCS}?filter=${filter}&all_fields`);
  expect(all.json[0].operationParams.flavourId).toBe('simple');
  const named = await test.call('GET', `${INSTANCES}?filter=${encodeURIComponent(`(eq,id,${id})`)}`);
  expect(named.json).toEqual([expect.objectContaining({ id, instantiationState: 'NOT_INSTANTIATED' })]);
  expect(await test.call('GET', `${INSTANCES}?filter=x`)).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  expect((await test.call('GET', `${OP_OCCS}?fields=a&all_fields`)).status).toBe(400);
});

it('the version lists need no Version header', async () => {
  const versions = await test.call('GET', '/vnflcm/api_versions');
  expect(versions).toMatchObject({ status: 200, json: { uriPrefix: '/vnflcm' } });
  expect(versions.headers.get('version')).toBe('2.0.0');
  const v2 = await test.call('GET', '/vnflcm/v2/api_versions', { withoutVersion: true });
  expect(v2.json).toEqual({ uriPrefix: '/vnflcm/v2', apiVersions: [{ version: '2.0.0', isDeprecated: false }] });
});

it('cancel answers 202, and the operation shows it while it is pending; a cancel without a mode is refused', async () => {
  const { opOccId } = await givenOperation(test);
  const cancel = (json: unknown) => test.call('POST', `${OP_OCCS}/${opOccId}/cancel`, { json });
  expect(await cancel({ cancelMode: 'SOFT' })).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/^cancelMode:/) },
  });
  expect(await cancel({ cancelMode: 'GRACEFUL' })).toMatchObject({ status: 202, text: '' });
  expect(test.engine.asked.at(-1)).toEqual({ kind: 'cancel', cancelMode: 'GRACEFUL', by: 'somebody' });
  const show = async () => (await test.call('GET', `${OP_OCCS}/${opOccId}`)).json;
  expect(await show()).toMatchObject({ isCancelPending: true, cancelMode: 'GRACEFUL' });
  await enterState(test.db, opOccId, { state: 'FAILED_TEMP', text: 'x' });
  expect(await show()).toMatchObject({ isCancelPending: false });
  expect((await show()).cancelMode).toBeUndefined();
  expect(await cancel({ cancelMode: 'FORCEFUL' })).toMatchObject({
    status: 409,
    json: { code: 'OPERATION_STATE', detail: expect.stringContaining('FAILED_TEMP') },
  });
});

it("another project's instances and operations do not exist", async () => {
  const { id, opOccId } = await givenOperation(test);
  const token = `member@${randomUUID()}`;
  for (const [method, path] of [
    ['GET', `${INSTANCES}/${id}`],
    ['DELETE', `${INSTANCES}/${id}`],
    ['GET', `${OP_OCCS}/${opOccId}`],
    ['POST', `${OP_OCCS}/${opOccId}/fail`],
    ['POST', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/steps/applyStack/pause`],
    ['GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`],
  ] as const) {
    expect((await test.call(method, path, { token })).status).toBe(404);
  }
  expect((await test.call('GET', INSTANCES, { token })).json).toEqual([]);
  expect((await test.call('GET', OP_OCCS, { token })).json).toEqual([]);
});

function operationsOf(vnfInstanceId: string) {
  return test.db.selectFrom('vnfLcmOpOcc').selectAll().where('vnfInstanceId', '=', vnfInstanceId).execute();
}

/** Secrets of operations that do not exist. */
function secretsLeft() {
  return test.db
    .selectFrom('secret')
    .select('name')
    .where('name', 'like', 'operation/%')
    .where('owner', 'not in', (eb) =>
      eb.selectFrom('vnfLcmOpOcc').select((op) => op.cast<string>('id', 'text').as('id')),
    )
    .execute();
}
