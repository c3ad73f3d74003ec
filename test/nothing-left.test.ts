import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeContent } from './testing/store-content.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let connection: Connection;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  connection = await Connection.connect({ address: system.temporal.address });
  vnfdId = await onboardSample(system.http);
});
afterAll(async () => {
  await connection?.close();
  await system?.stop();
});

/**
 * Tables that keep their rows for ever: operations, their steps with the logs, and events. The bastion's host key belongs to no
 * instance.
 */
const HISTORY = ['vnf_lcm_op_occ', 'operation_step', 'operation_step_log', 'operation_event'];
async function store(): Promise<Record<string, unknown[]>> {
  const content = await storeContent(system.db);
  for (const table of HISTORY) delete content[table];
  const isBastion = (row: unknown) => JSON.stringify(row).includes('"bastion ');
  const named = (content['secret'] ?? []).map((row) => JSON.stringify(row).replace(/"sealed":"[^"]*"/, ''));
  return { ...content, host_key: (content['host_key'] ?? []).filter((row) => !isBastion(row)), secret: named };
}

async function inTemporal(): Promise<string[]> {
  const client = new Client({ connection });
  const found: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus='Running'" }))
    found.push(workflowId);
  for await (const { scheduleId } of client.schedule.list()) found.push(scheduleId);
  return found.sort();
}

/** All that exists, without the words for a stack's last action. */
const cloud = () => {
  const { content } = system.simulator.fingerprint();
  return JSON.parse(JSON.stringify(content).replaceAll(/(CREATE|UPDATE)_COMPLETE/g, 'COMPLETE'));
};

const post = (path: string, body: object = {}) => system.http.post(path, body);
async function ends(answer: ReturnType<typeof post>, state: string): Promise<string> {
  const operation = operationOf(await answer);
  const ended = await settled(system.http, operation);
  expect([ended.operationState, state === 'FAILED_TEMP' ? undefined : ended.error]).toEqual([state, undefined]);
  return operation;
}

async function nothingIsLeftBut(before: { cloud: unknown; store: unknown; temporal: string[] }): Promise<void> {
  await expect.poll(inTemporal, { timeout: 10_000 }).toEqual(before.temporal);
  await expect.poll(() => system.simulator.nodes.bastion.sessions(), { timeout: 5_000 }).toBe(0);
  expect(cloud()).toEqual(before.cloud);
  expect(await store()).toEqual(before.store);
}
const now = async () => ({ cloud: cloud(), store: await store(), temporal: await inTemporal() });

it('after terminate nothing is left in the cloud, in the store, in Temporal and on the bastion', async () => {
  const empty = await now();
  const id = await createInstance(system.http, vnfdId);
  const instance = `/vnflcm/v2/vnf_instances/${id}`;
  await ends(post(`${instance}/instantiate`, system.instantiateBody()), 'COMPLETED');
  expect(await inTemporal()).not.toEqual([]);
  expect(cloud()).not.toEqual(empty.cloud);
  await ends(post(`${instance}/scale`, { type: 'SCALE_OUT', aspectId: 'workerNode_scale' }), 'COMPLETED');
  await ends(post(`${instance}/terminate`, { terminationType: 'FORCEFUL' }), 'COMPLETED');
  expect((await system.http.delete(instance)).status).toBe(204);
  await nothingIsLeftBut(empty);
}, 120_000);

it('after the rollback of an instantiate nothing is left but the instance, as it was', async () => {
  const id = await createInstance(system.http, vnfdId);
  const before = await now();
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', exitCode: 1, times: 1 });
  const instantiate = post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody());
  const operation = await ends(instantiate, 'FAILED_TEMP');
  await post(`${operation}/rollback`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  await nothingIsLeftBut(before);
}, 120_000);

it('after the rollback of a scale out everything is as it was before', async () => {
  const id = await createInstance(system.http, vnfdId);
  const instance = `/vnflcm/v2/vnf_instances/${id}`;
  await ends(post(`${instance}/instantiate`, system.instantiateBody()), 'COMPLETED');
  await expect.poll(inTemporal, { timeout: 10_000 }).toEqual([`snapshots/${id}`, `vim-tokens/${id}`]);
  const before = await now();
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm join', exitCode: 1, times: 1 });
  const operation = await ends(
    post(`${instance}/scale`, { type: 'SCALE_OUT', aspectId: 'workerNode_scale' }),
    'FAILED_TEMP',
  );
  await post(`${operation}/rollback`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  await nothingIsLeftBut(before);
}, 120_000);
