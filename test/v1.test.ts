import { afterAll, beforeAll, expect, it } from 'vitest';
import { asV1 } from './testing/api/v1-request.ts';
import { onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

/** The operations of a sample cluster through /vnflcm/v1, while /vnflcm/v2 shows that instance, too. */

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  const created = await system.http.post('/vnflcm/v1/vnf_instances', { vnfdId: await onboardSample(system.http) });
  id = created.data.id;
}, 90_000);
afterAll(() => system.stop());

const v1 = async () => (await system.http.get(`/vnflcm/v1/vnf_instances/${id}`)).data;
const v2 = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
const workers = async (): Promise<string[]> => {
  const vnfcs: { id: string; vduId: string }[] = (await v1()).instantiatedVnfInfo.vnfcResourceInfo;
  return vnfcs.filter(({ vduId }) => vduId === 'workerNode').map((vnfc) => vnfc.id);
};
const run = async (task: string, body: object) => {
  const accepted = await system.http.post(`/vnflcm/v1/vnf_instances/${id}/${task}`, body);
  expect(accepted.data).toBe('');
  const path = operationOf(accepted);
  expect(path).toContain('/vnflcm/v1/vnf_lcm_op_occs/');
  const ended = await settled(system.http, path);
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  return ended;
};

it('instantiates: both versions show the cluster, and version 1 its VIM', async () => {
  await run('instantiate', asV1(system.instantiateBody()));
  const [seen1, seen2] = [await v1(), await v2()];
  expect(seen1.vimConnectionInfo.map(({ vimType }: { vimType: string }) => vimType)).toEqual([
    'openstack',
    'kubernetes',
  ]);
  expect(seen1.vimConnectionInfo[1].accessInfo.authUrl).toMatch(/^https:\/\/.*:6443$/);
  const { vnfcResourceInfo, vnfVirtualLinkResourceInfo, vnfcInfo } = seen1.instantiatedVnfInfo;
  const servers = seen2.instantiatedVnfInfo.vnfcResourceInfo.map((vnfc: { id: string }) => vnfc.id);
  expect(vnfcResourceInfo.map((vnfc: { id: string }) => vnfc.id).sort()).toEqual(servers.sort());
  expect(vnfcInfo.length).toBe(3);
  expect(
    vnfVirtualLinkResourceInfo.flatMap(({ vnfLinkPorts }: { vnfLinkPorts: object[] }) => vnfLinkPorts).length,
  ).toBe(3);
}, 90_000);

it('scales out and in without repeating any parameter', async () => {
  const before = await workers();
  await run('scale', { type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: '1' });
  expect(await workers()).toEqual(expect.arrayContaining(before));
  expect((await v2()).instantiatedVnfInfo.scaleStatus).toEqual([{ aspectId: 'workerNode_scale', scaleLevel: 1 }]);
  await run('scale', { type: 'SCALE_IN', aspectId: 'workerNode_scale' });
  expect((await workers()).sort()).toEqual(before.sort());
}, 90_000);

it('heals one worker by its vnfcResourceInfo.id: another server, the others stay', async () => {
  const [victim = '', ...others] = await workers();
  await run('heal', { vnfcInstanceId: [victim] });
  const after = await workers();
  expect(after).not.toContain(victim);
  expect(after).toEqual(expect.arrayContaining(others));
  expect(after.length).toBe(others.length + 1);
}, 90_000);

it('terminates and deletes: nothing is left in the cloud', async () => {
  await run('terminate', { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 0 });
  expect(await v1()).not.toHaveProperty('instantiatedVnfInfo');
  expect((await system.http.delete(`/vnflcm/v1/vnf_instances/${id}`)).status).toBe(204);
  expect((await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(404);
  expect(system.simulator.fingerprint().content).toMatchObject({ stacks: [], servers: [] });
}, 60_000);
