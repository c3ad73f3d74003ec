import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { completeOperation, instantiateCluster } from './testing/operations.ts';
import { onboardSample, type System, startSystem } from './testing/system.ts';

/**
 * sshd opens ten sessions per connection, and all commands about workers go over one connection to a control-plane
 * node.
 */
const SAMPLE = fileURLToPath(new URL('../samples/kubernetes-cluster', import.meta.url));
const WORKERS = 12;

vi.setConfig({ testTimeout: 180_000 });

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await instantiateCluster(system, { vnfdId: await onboardLargeSample() });
  await run('scale', { type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: WORKERS });
}, 180_000);
afterAll(() => system.stop());

/** The sample, for more workers. */
async function onboardLargeSample(): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-large-sample-'));
  try {
    cpSync(SAMPLE, directory, { recursive: true });
    const file = path.join(directory, 'Definitions/flavour_simple.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('max_scale_level: 2', `max_scale_level: ${WORKERS}`));
    return await onboardSample(system.http, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const run = (task: string, body: object) => completeOperation(system.http, { id, task, body });

/** The entries of the ledger for limits of sshd that were reached. */
const struck = () => system.simulator.ledger.entries().filter(({ kind }) => kind === 'ssh-limit');
const workers = () => system.simulator.nodes.list().filter(({ hostname }) => hostname.startsWith('worker'));

it('twelve workers leave at once: planned, drained and removed without a refusal of sshd', async () => {
  expect(workers()).toHaveLength(2 + WORKERS);
  const request = { type: 'SCALE_IN', aspectId: 'workerNode_scale', numberOfSteps: WORKERS };
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
    operation: 'SCALE',
    request,
    live: true,
  });
  expect(plan.data.observed.podsProblem).toBeUndefined();

  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  await run('scale', request);
  expect(workers()).toHaveLength(2);
  const drained = system.simulator.ledger
    .entries(seq)
    .flatMap(({ what }) => /kubectl .*\bdrain (\S+)/.exec(what)?.[1] ?? []);
  expect(new Set(drained).size).toBe(WORKERS);
  expect(struck()).toEqual([]);
});
