import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { beginOperation, instantiateCluster } from './testing/operations.ts';
import { typeRemedy } from './testing/remedy.ts';
import { type System, settled, startSystem } from './testing/system.ts';

/** Heat's engine dies during an update: the stack stays in progress for ever, until another update is ordered. */

vi.setConfig({ testTimeout: 90_000 });

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem({ pace: { stackLimit: 3 } });
  id = await instantiateCluster(system);
}, 90_000);
afterEach(() => void system.simulator.faults.remove());
afterAll(() => system.stop());

const begin = (task: string, body: object) => beginOperation(system.http, id, task, body);

const worker = async () => {
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const found = data.instantiatedVnfInfo.vnfcInfo.find(({ vduId }: { vduId: string }) => vduId === 'workerNode');
  return { vnfcInstanceId: [found.id] };
};

const OPERATIONS = [
  { task: 'scale', action: 'CREATE', body: async () => ({ type: 'SCALE_OUT', aspectId: 'workerNode_scale' }) },
  { task: 'heal', action: 'CREATE', body: worker },
  { task: 'scale', action: 'DELETE', body: async () => ({ type: 'SCALE_IN', aspectId: 'workerNode_scale' }) },
] as const;

it.each(OPERATIONS)('$task (a $action that never ends): retry repairs the stack, as the remedy says', async (of) => {
  const effect = { stuck: true };
  const fault = { service: 'heat', resourceNameContains: '/workerNode', action: of.action, times: 1, effect };
  system.simulator.faults.add(fault);
  const operation = await begin(of.task, await of.body());
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'STACK_STUCK' } });
  expect(failed.error.detail).toContain('it is still UPDATE_IN_PROGRESS');
  await typeRemedy(failed.error.remedy, system);
  const ended = await settled(system.http, operation);
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
});

it('a stack that a failed operation left in progress is repaired by the next operation, at once', async () => {
  const effect = { stuck: true };
  system.simulator.faults.add({ service: 'heat', resourceNameContains: '/workerNode', action: 'CREATE', effect });
  const operation = await begin('heal', await worker());
  expect(await settled(system.http, operation)).toMatchObject({ error: { code: 'STACK_STUCK' } });
  expect((await system.http.post(`${operation}/fail`)).status).toBe(200);
  system.simulator.faults.remove();
  const next = await settled(system.http, await begin('heal', await worker()));
  expect([next.operationState, next.error]).toEqual(['COMPLETED', undefined]);
});
