import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workerIdentity } from '../engine/task-failure.ts';
import { TASK_QUEUE, workflowId } from '../workflows/contract.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { startTestTemporal } from './testing/temporal.ts';

/** Temporal takes a silent attempt at a workflow task for lost after two seconds instead of ten. */
const QUICK = { 'history.defaultWorkflowTaskTimeout': '"2s"' };

let system: System;
let client: Client;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem({ temporal: await startTestTemporal(QUICK), reconcileEveryMs: 500, worker: false });
  client = new Client({ connection: await Connection.connect({ address: system.temporal.address }) });
  vnfdId = await onboardSample(system.http);
});
afterAll(async () => {
  await client.connection.close();
  await system.stop();
});

/** A worker of a build that cannot continue an instantiate. */
async function startBrokenWorker() {
  const connection = await NativeConnection.connect({ address: system.temporal.address });
  const workflowsPath = fileURLToPath(new URL('./testing/broken-workflows.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  const identity = workerIdentity({ build: 'broken', pid: process.pid, host: 'here' });
  const worker = await Worker.create({ connection, taskQueue: TASK_QUEUE, workflowBundle, identity });
  const stopped = worker.run().finally(() => connection.close());
  return {
    stop: async () => {
      worker.shutdown();
      await stopped;
    },
  };
}

/** Instantiates until the operation waits in FAILED_TEMP, with a worker of the build `test`. */
async function failWithGoodBuild() {
  const good = await system.startWorker();
  const { http, simulator } = system;
  const id = await createInstance(http, vnfdId);
  simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', times: 1, exitCode: 1, stderr: 'x' });
  const operation = operationOf(
    await http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  expect(await settled(http, operation)).toMatchObject({ error: { code: 'NODE_COMMAND_FAILED' } });
  await good.stop();
  return { id, operation };
}

const errorOf = async (operation: string) => (await system.http.get(operation)).data.error;

it('a control answers that the build cannot continue the operation, and names both builds; a repaired build goes on', async () => {
  const { http } = system;
  const { operation } = await failWithGoodBuild();
  const broken = await startBrokenWorker();
  for (const round of ['by the workflow that build test began', 'by a new workflow, which takes it over']) {
    const answer = await http.post(`${operation}/retry`);
    expect([round, answer.status, answer.data.code]).toEqual([round, 503, 'ENGINE_DEFECT']);
    expect(answer.data.detail).toMatch(/build broken cannot continue it: .*\(a defect of this release\); build test/);
    expect(await errorOf(operation)).toMatchObject({ code: 'ENGINE_DEFECT' });
  }
  const shown = (await http.get(operation)).data;
  expect(shown.operationState).toBe('FAILED_TEMP');
  expect(shown.error.remedy).toContain(`vnflow ops retry ${operation.split('/').at(-1)}`);
  await broken.stop();

  const repaired = await system.startWorker();
  expect((await http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  const { data } = await http.get(`/vnflow/v1/vnf_lcm_op_occs/${operation.split('/').at(-1)}/timeline`);
  expect([data.build, ...data.steps.map(({ build }: { build: string }) => build)]).toEqual(
    Array(data.steps.length + 1).fill('test'),
  );
  await repaired.stop();
}, 240_000);

it('an operation that a build cannot continue is found without a control, and goes on by itself with the build before', async () => {
  const { id, operation } = await failWithGoodBuild();
  const broken = await startBrokenWorker();
  await client.workflow.getHandle(workflowId(id)).signal('a task begins');
  const code = async () => (await errorOf(operation))?.code;
  await expect.poll(code, { timeout: 60_000, interval: 200 }).toBe('ENGINE_DEFECT');
  expect((await errorOf(operation)).detail).toContain('The INSTANTIATE operation was FAILED_TEMP, and build broken');
  await broken.stop();

  const before = await system.startWorker();
  await expect.poll(code, { timeout: 60_000, interval: 200 }).toBe('NODE_COMMAND_FAILED');
  expect((await system.http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await before.stop();
}, 240_000);
