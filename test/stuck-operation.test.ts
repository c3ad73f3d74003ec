import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TASK_QUEUE, workflowId } from '../workflows/contract.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let client: Client;
beforeAll(async () => {
  system = await startSystem({ reconcileEveryMs: 500, worker: false });
  client = new Client({ connection: await Connection.connect({ address: system.temporal.address }) });
});
afterAll(async () => {
  await client.connection.close();
  await system.stop();
});

async function startBrokenWorker() {
  const connection = await NativeConnection.connect({ address: system.temporal.address });
  const workflowsPath = fileURLToPath(new URL('./testing/broken-workflows.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  const worker = await Worker.create({ connection, taskQueue: TASK_QUEUE, workflowBundle });
  const stopped = worker.run().finally(() => connection.close());
  return {
    stop: async () => {
      worker.shutdown();
      await stopped;
    },
  };
}

it('an operation whose workflow task fails again and again is shown as lost, and goes on with a release that works', async () => {
  const good = await system.startWorker();
  const { http, simulator } = system;
  const id = await createInstance(http, await onboardSample(http));
  simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', times: 1, exitCode: 1, stderr: 'x' });
  const operation = operationOf(
    await http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  expect(await settled(http, operation)).toMatchObject({ error: { code: 'NODE_COMMAND_FAILED' } });
  await good.stop();

  const broken = await startBrokenWorker();
  await client.workflow.getHandle(workflowId(id)).signal('a task begins');
  const code = async () => (await http.get(operation)).data.error.code;
  await expect.poll(code, { timeout: 120_000, interval: 500 }).toBe('ENGINE_LOST');
  expect((await http.get(operation)).data.error.detail).toMatch(/a task of its workflow vnf\/.* has failed \d times/);
  await broken.stop();

  const repaired = await system.startWorker();
  expect((await http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await repaired.stop();
}, 240_000);
