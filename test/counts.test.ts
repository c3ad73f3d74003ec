import { afterAll, beforeAll, expect, it } from 'vitest';
import { countsAt, verdicts } from '../bench/counts.ts';
import { countOperation, type OperationCounts } from '../bench/operation-counts.ts';
import { instantiateCluster } from './testing/operations.ts';
import { operationOf, type System, settled, startSystem } from './testing/system.ts';

const SPEED = 200;
let system: System;
beforeAll(async () => {
  // workers must not share a host: more hosts than the eight nodes of the bigger cluster
  system = await startSystem({ speed: SPEED, hosts: 20 });
}, 90_000);
afterAll(() => system.stop());

// repeated on a busy machine: an attempt that is lost and repeated is counted, too
it('adding, removing or healing a node costs as much for a small cluster as for a bigger one, and touches no worker that stays', {
  timeout: 480_000,
  retry: 1,
}, async () => {
  const place = {
    http: system.http,
    authUrl: system.simulator.authUrl,
    speed: SPEED,
    ledger: async (after?: number) => system.simulator.ledger.entries(after),
  };
  const rows = [...(await countsAt(place, 5)), ...(await countsAt(place, 8))];
  const told = verdicts(rows);
  expect(told.length).toBeGreaterThan(8);
  expect(told.filter(({ holds }) => !holds)).toEqual([]);
  const [instantiated] = rows;
  expect(instantiated?.counts.logins.fresh).toBeGreaterThanOrEqual(6);
  expect(instantiated?.counts.commands.fresh).toBeGreaterThan(100);
});

it('an operation through version 1 of the API costs what it costs through version 2', {
  timeout: 480_000,
  retry: 1, // a repeated attempt is counted, too
}, async () => {
  const id = await instantiateCluster(system);
  const resources = async (vduId: string): Promise<{ id: string; server: string }[]> =>
    (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo.vnfcResourceInfo
      .filter((vnfc: { vduId: string }) => vnfc.vduId === vduId)
      .map((vnfc: { id: string; computeResource: { resourceId: string } }) => ({
        id: vnfc.id,
        server: vnfc.computeResource.resourceId,
      }));
  const servers = async (vduId: string) => new Set((await resources(vduId)).map(({ server }) => server));
  const count = async (version: 'v1' | 'v2', task: string, body: object): Promise<OperationCounts> => {
    const before = { controlPlane: await servers('masterNode'), workers: await servers('workerNode') };
    const since = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
    const answer = await system.http.post(`/vnflcm/${version}/vnf_instances/${id}/${task}`, body);
    const ended = await settled(system.http, operationOf(answer), { timeoutMs: 120_000 });
    expect({ state: ended.operationState, error: ended.error }).toEqual({ state: 'COMPLETED' });
    return countOperation(system.simulator.ledger.entries(since), before);
  };
  const scale = { aspectId: 'workerNode_scale' };
  const out = await count('v2', 'scale', { ...scale, type: 'SCALE_OUT', numberOfSteps: 1 });
  expect(out.logins.fresh).toBe(2);
  const scaleIn = await count('v2', 'scale', { ...scale, type: 'SCALE_IN', numberOfSteps: 1 });
  expect(await count('v1', 'scale', { ...scale, type: 'SCALE_OUT', numberOfSteps: '1' })).toEqual(out);
  expect(await count('v1', 'scale', { ...scale, type: 'SCALE_IN', numberOfSteps: '1' })).toEqual(scaleIn);
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const vnfc = data.instantiatedVnfInfo.vnfcInfo.find((one: { vduId: string }) => one.vduId === 'workerNode');
  const heal = await count('v2', 'heal', { vnfcInstanceId: [vnfc.id] });
  const [worker] = await resources('workerNode');
  expect(await count('v1', 'heal', { vnfcInstanceId: [worker?.id] })).toEqual(heal);
});
