import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { defineUpdate } from '@temporalio/workflow';
import axios from 'axios';
import { createInstance, onboardSample, operationOf, settled, startSystem, tokenOf } from '../test/testing/system.ts';
import { ANY_PORTS, startTemporalServer } from '../worker/temporal-server.ts';

const SAMPLES = 30;
const bare = defineUpdate<void>('bare');

/**
 * Measures how long a client waits for its 202, and how long a bare update-with-start takes on that Temporal server.
 */
export async function benchAccept(): Promise<void> {
  console.log(`202 of an instantiate at rest, against a bare update-with-start (${SAMPLES} each)`);
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-bench-'));
  const temporal = await startTemporalServer({
    binary: process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal',
    directory,
    ports: ANY_PORTS,
    headless: true,
  });
  const system = await startSystem({ speed: 500, temporal });
  try {
    const least = await measureBareUpdates(temporal.address);
    const accepted = await measureAcceptances(system);
    const ratio = median(accepted) / median(least);
    console.log(`  bare update-with-start   median ${median(least).toFixed(1)} ms`);
    console.log(
      `  POST …/instantiate → 202 median ${median(accepted).toFixed(1)} ms, ratio ${ratio.toFixed(2)} (budget 1.60)\n`,
    );
  } finally {
    await system.stop();
    rmSync(directory, { recursive: true });
  }
}

async function measureBareUpdates(address: string): Promise<number[]> {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const connection = await NativeConnection.connect({ address });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./bare-update.ts', import.meta.url)),
  });
  const worker = await Worker.create({ connection, taskQueue: 'bare', workflowBundle });
  const took: number[] = [];
  await worker.runUntil(async () => {
    for (let index = 0; index < SAMPLES; index++) {
      const startWorkflowOperation = new WithStartWorkflowOperation('bareUpdate', {
        workflowId: `bare-${index}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue: 'bare',
        args: [],
      });
      const began = performance.now();
      await client.workflow.executeUpdateWithStart(bare, { startWorkflowOperation });
      took.push(performance.now() - began);
    }
  });
  await connection.close();
  await client.connection.close();
  return took;
}

/** Measures requests on an idle system: Heat refuses each stack, and the operation is ended before the next request. */
export async function measureAcceptances({
  http,
  api,
  simulator,
  instantiateBody,
}: Awaited<ReturnType<typeof startSystem>>): Promise<number[]> {
  // The client of the tests is not used: it sends a plan request before each operation, which would be measured, too.
  const plain = axios.create({
    baseURL: api.url,
    headers: { 'X-Auth-Token': await tokenOf(simulator.authUrl) },
    validateStatus: () => true,
    proxy: false,
  });
  const vnfdId = await onboardSample(http);
  simulator.faults.add({ service: 'heat', method: 'POST', pathContains: '/stacks', effect: { status: 403 } });
  const took: number[] = [];
  for (let index = 0; index < SAMPLES; index++) {
    const id = await createInstance(http, vnfdId);
    const body = instantiateBody();
    const began = performance.now();
    const answer = await plain.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body, {
      headers: { Version: '2.0.0' },
    });
    took.push(performance.now() - began);
    const operation = operationOf(answer);
    await settled(http, operation);
    await http.post(`${operation}/fail`);
  }
  return took;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
