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
let id: string;
let empty: ReturnType<System['simulator']['fingerprint']>;
beforeAll(async () => {
  system = await startSystem();
  id = await createInstance(system.http, await onboardSample(system.http, path.join('samples', 'plain')));
  empty = system.simulator.fingerprint();
}, 90_000);
afterAll(() => system.stop());

const servers = () => Object.values(system.simulator.cloud.state.servers);
const logins = () => system.simulator.ledger.entries().filter(({ kind }) => kind === 'login' || kind === 'command');
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
const run = async (operation: string, body: object) =>
  settled(system.http, operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/${operation}`, body)));
const ids = () =>
  servers()
    .map((server) => server.id)
    .sort();

it('a VNF without a management driver is instantiated: a stack of two servers, and no login', async () => {
  const request = guideRequest('instantiate-plain.json', system.simulator.authUrl);
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, { operation: 'INSTANTIATE', request });
  expect(plan.data.steps.map((step: { id: string }) => step.id)).toEqual(['applyStack', 'discover']);
  expect(await run('instantiate', request)).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toHaveLength(2);
  expect((await show()).instantiatedVnfInfo.vnfcInfo).toHaveLength(2);
  expect(logins()).toEqual([]);
});

it('scales out and in', async () => {
  const before = ids();
  expect(await run('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'COMPLETED',
    resourceChanges: { affectedVnfcs: [{ vduId: 'web', changeType: 'ADDED' }] },
  });
  expect(servers()).toHaveLength(3);
  expect(await run('scale', { type: 'SCALE_IN', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'COMPLETED',
  });
  expect(ids()).toEqual(before);
});

it('rolls a scale out back that failed', async () => {
  const before = ids();
  const { state } = system.simulator.cloud;
  const [server] = Object.values(state.servers);
  state.quotas = { [server?.projectId ?? '']: { instances: before.length, cores: -1, ram: -1 } };
  expect(await run('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'ROLLED_BACK',
    error: { code: 'CAPACITY_MISSING' },
  });
  state.quotas = {};
  expect(ids()).toEqual(before);
});

it('heals one VNFC: its server is replaced, the other one stays', async () => {
  const before = ids();
  const [vnfc] = (await show()).instantiatedVnfInfo.vnfcInfo;
  const request = { vnfcInstanceId: [vnfc.id] };
  const live = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
    operation: 'HEAL',
    request,
    live: true,
  });
  expect(live.data.observed, 'there is no cluster to be asked').toEqual({});
  expect(await run('heal', request)).toMatchObject({ operationState: 'COMPLETED' });
  expect(ids().filter((server) => before.includes(server))).toEqual(
    before.filter((server) => server !== vnfc.vnfcResourceInfoId),
  );
  expect(servers()).toHaveLength(2);
});

it('heals all: the stack is deleted and created again', async () => {
  const before = ids();
  expect(await run('heal', { additionalParams: { all: true } })).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toHaveLength(2);
  expect(ids().filter((server) => before.includes(server))).toEqual([]);
});

it('is terminated: nothing is left, and nothing was ever done inside a server', async () => {
  expect(await run('terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toEqual([]);
  expect(system.simulator.fingerprint()).toEqual(empty);
  expect(logins()).toEqual([]);
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
});
