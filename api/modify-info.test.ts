import { expect, it } from 'vitest';
import { secretName } from '../store/secrets.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenInstantiated } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';

const test = await startFileApi();
const CONNECTION = sampleRequest('instantiate-simple').vimConnectionInfo.vim1;

/** Sends a PATCH as `openstack vnflcm update` does. */
const update = (id: string, json: unknown, version: 'v1' | 'v2' = 'v2') =>
  test.call('PATCH', `/vnflcm/${version}/vnf_instances/${id}`, {
    json,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/merge-patch+json',
      Version: version === 'v1' ? '1.3.0' : '2.0.0',
    },
  });

/** An instance whose VIM connection is sealed, as the end of its instantiate leaves it. */
async function givenConnected(): Promise<string> {
  const { id } = await givenInstantiated(test);
  await test.secrets.put(secretName.vimConnectionInfo(id), { vim1: CONNECTION }, id);
  return id;
}

it.each(['v1', 'v2'] as const)('%s: a PATCH is an operation: 202, empty, with its Location', async (version) => {
  const { id, vnfdId } = await givenInstance(test);
  const json = { vnfInstanceName: 'renamed', vnfdId, metadata: { a: 'b', c: null } };
  const { status, text, headers } = await update(id, json, version);
  expect({ status, text }).toEqual({ status: 202, text: '' });
  const { pathname } = new URL(headers.get('location') ?? '');
  expect(pathname).toContain(`/vnflcm/${version}/vnf_lcm_op_occs/`);
  const operation = (await test.call('GET', pathname)).json;
  expect(operation).toMatchObject({ operation: 'MODIFY_INFO', vnfInstanceId: id });
  const { operationParams } = operation;
  expect(version === 'v1' ? JSON.parse(operationParams) : operationParams).toEqual(json);
  expect(await update(id, json, version)).toMatchObject({ status: 409, json: { code: 'VNF_BUSY' } });
});

it('seals the secrets of a VIM connection and shows them nowhere', async () => {
  const id = await givenConnected();
  const patch = { vim1: { accessInfo: { password: 'a-new-password' } } };
  const { headers } = await update(id, { vimConnectionInfo: patch });
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  expect(await test.secrets.get(secretName.operationParams(opOccId))).toEqual({ vimConnectionInfo: patch });
  const shown = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`);
  expect(shown.json.operationParams).toEqual({ vimConnectionInfo: { vim1: { accessInfo: {} } } });
  expect(shown.text + test.logged.join('')).not.toContain('a-new-password');
});

it('version 1 sends an array of VIM connections, with its own names of VIM types', async () => {
  const id = await givenConnected();
  const vimConnectionInfo = [{ id: 'vim1', vimType: 'openstack', accessInfo: { password: 'another-one' } }];
  const { headers } = await update(id, { vimConnectionInfo }, 'v1');
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  expect(await test.secrets.get(secretName.operationParams(opOccId))).toEqual({
    vimConnectionInfo: { vim1: { vimType: CONNECTION.vimType, accessInfo: { password: 'another-one' } } },
  });
  const { operationParams } = (await test.call('GET', `/vnflcm/v1/vnf_lcm_op_occs/${opOccId}`)).json;
  expect(JSON.parse(operationParams)).toEqual({
    vimConnectionInfo: [{ id: 'vim1', vimType: 'openstack', accessInfo: {} }],
  });
});

const OTHER = '00000000-0000-4000-8000-000000000009';

it.each([
  ['v2', { vnfdId: OTHER }, /vnfdId: cannot be changed: the servers/],
  ['v1', { vnfdId: OTHER }, /vnfdId: cannot be changed: the servers/],
  ['v1', { vnfPkgId: OTHER }, /vnfPkgId: cannot be changed: the servers/],
  ['v2', { vimConnectionInfo: { vim1: {} } }, /isn't instantiated/],
  ['v2', { vimConnectionInfo: [{ id: 'vim1' }] }, /belongs to the API \/vnflcm\/v1/],
  ['v1', { vimConnectionInfo: { vim1: {} } }, /belongs to the API \/vnflcm\/v2/],
  ['v2', { vnfcInfoModifications: [] }, /no properties of single VNFCs/],
  ['v2', { vnfInstanceName: 7 }, /vnfInstanceName/],
  ['v2', { metadata: { VDU_VNFc_mapping: { a: ['x', 'x'] } } }, /x stands there twice/],
  ['v2', [], /The request body/],
] as const)('%s refuses %j with a reason', async (version, json, reason) => {
  const { id } = await givenInstance(test);
  expect(await update(id, json, version)).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(reason) },
  });
});

it.each([
  ['the connection that is used is removed', { vim1: null }, 400, /vim1: cannot be removed/],
  ['its type is another', { vim1: { vimType: 'kubernetes' } }, 400, /vimType: must be ETSINFV/],
  ['its user is missing', { vim1: { accessInfo: { username: null } } }, 400, /accessInfo.username: is missing/],
  ['a VIM is not registered', { vim2: { vimType: 'x', vimId: OTHER } }, 404, /vim2.vimId/],
])('refuses a change of VIM connections when %s', async (_what, vimConnectionInfo, status, reason) => {
  const id = await givenConnected();
  expect(await update(id, { vimConnectionInfo })).toMatchObject({
    status,
    json: { detail: expect.stringMatching(reason) },
  });
});

it('the dry run has no step', async () => {
  const { id } = await givenInstance(test);
  const json = { operation: 'MODIFY_INFO', request: { vnfInstanceName: 'n' } };
  const { json: plan } = await test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, { json });
  expect(plan).toMatchObject({ steps: [], criticalPathSeconds: 0, rollback: { supported: true, steps: [] } });
});
