import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_BACKUPS } from '../activities/dependencies.ts';
import { startWorker } from '../worker/start-worker.ts';
import { TASK_QUEUE, workflowId } from '../workflows/contract.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { BUNDLES, quiet } from './testing/temporal.ts';
import { TEST_PACE } from './testing/test-pace.ts';
import { testStoreLocation } from './testing/test-store.ts';

let system: System;
let client: Client;
beforeAll(async () => {
  const store = await testStoreLocation();
  system = await startSystem({ reconcileEveryMs: 500, workersElsewhere: { store, masterKey: randomBytes(32) } });
  client = new Client({ connection: await Connection.connect({ address: system.temporal.address }) });
});
afterAll(async () => {
  await client.connection.close();
  await system.stop();
});

function startGoodWorker() {
  const { db, secrets, backups, simulator, temporal } = system;
  const { host, port, user: username } = simulator.bastion;
  return startWorker(
    {
      db,
      secrets,
      backups: { ...DEFAULT_BACKUPS, store: backups },
      bastion: { host, port, username },
      pace: TEST_PACE,
      log: quiet,
    },
    { temporalAddress: temporal.address, namespace: 'default', bundleCache: BUNDLES },
  );
}

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
  const good = await startGoodWorker();
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

  const repaired = await startGoodWorker();
  expect((await http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await repaired.stop();
}, 240_000);
