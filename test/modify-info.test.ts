import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

let system: System;
let instance: string;
beforeAll(async () => {
  system = await startSystem();
  const id = await createInstance(system.http, await onboardSample(system.http, path.join('samples', 'plain')));
  instance = `/vnflcm/v2/vnf_instances/${id}`;
}, 90_000);
afterAll(() => system.stop());

const show = async () => (await system.http.get(instance)).data;
const run = async (task: string, body: object) =>
  settled(system.http, operationOf(await system.http.post(`${instance}/${task}`, body)));
const update = async (body: object) => settled(system.http, operationOf(await system.http.patch(instance, body)));

it('changes name, description, metadata and properties of an instance that is not instantiated', async () => {
  const first = await update({
    vnfInstanceName: 'renamed',
    vnfInstanceDescription: 'described',
    metadata: { a: '1', b: { c: 2, d: 3 } },
    vnfConfigurableProperties: { isAutohealEnabled: true },
  });
  expect(first).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
  expect(first.grantId).toBeUndefined();
  const second = await update({ vnfInstanceName: 'renamed', metadata: { a: null, b: { d: null, e: 4 } } });
  expect(second.changedInfo).toEqual({ metadata: { b: { c: 2, e: 4 } } });
  expect(await show()).toMatchObject({
    vnfInstanceName: 'renamed',
    vnfInstanceDescription: 'described',
    metadata: { b: { c: 2, e: 4 } },
    vnfConfigurableProperties: { isAutohealEnabled: true },
    instantiationState: 'NOT_INSTANTIATED',
  });
  const nothing = await update({ vnfInstanceName: 'renamed' });
  expect([nothing.operationState, nothing.changedInfo]).toEqual(['COMPLETED', undefined]);
});

it('changes the login of the VIM: later operations use it, and no answer shows it', async () => {
  await run('instantiate', guideRequest('instantiate-plain.json', system.simulator.authUrl));
  const before = (await show()).instantiatedVnfInfo;
  const [vim = ''] = Object.keys((await show()).vimConnectionInfo);
  const changed = await update({ vimConnectionInfo: { [vim]: { accessInfo: { password: 'wrong-password' } } } });
  expect(JSON.stringify(changed) + JSON.stringify(await show())).not.toContain('wrong-password');
  expect(Object.keys(changed.changedInfo)).toEqual(['vimConnectionInfo']);
  expect(changed.resourceChanges).toBeUndefined();
  const scale = { type: 'SCALE_OUT', aspectId: 'web_scale' };
  expect(await run('scale', scale)).toMatchObject({
    operationState: 'ROLLED_BACK',
    error: { code: 'VIM_CREDENTIALS' },
  });
  expect((await show()).instantiatedVnfInfo).toEqual(before);
  await update({ vimConnectionInfo: { [vim]: { accessInfo: { password: 'devstack' } } } });
  expect(await run('scale', scale)).toMatchObject({ operationState: 'COMPLETED' });
});

it('version 1 changes this instance, too, and shows the operation', async () => {
  const v1 = instance.replace('v2', 'v1');
  const answer = await system.http.patch(v1, { vnfInstanceDescription: 'by version 1' });
  const operation = operationOf(answer);
  expect(operation).toContain('/vnflcm/v1/');
  expect(await settled(system.http, operation)).toMatchObject({
    operationState: 'COMPLETED',
    changedInfo: { vnfInstanceDescription: 'by version 1' },
  });
  expect((await show()).vnfInstanceDescription).toBe('by version 1');
  await run('terminate', { terminationType: 'FORCEFUL' });
  expect((await system.http.delete(instance)).status).toBe(204);
});
