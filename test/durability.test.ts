import { randomBytes } from 'node:crypto';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CrashingWorkers, startCrashingWorkers } from './testing/crashing-workers.ts';
import { misdeeds } from './testing/ledger-judge.ts';
import { type SharedStore, startSharedStore } from './testing/shared-store.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';
import { startTestTemporal } from './testing/temporal.ts';
import { quickWorkflows } from './testing/workers.ts';

let store: SharedStore;
let system: System;
let workers: CrashingWorkers;
let id: string;
const say =
  process.env['VNFLOW_TEST_LOG'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`);

beforeAll(async () => {
  const masterKey = randomBytes(32);
  const [shared, temporal, codePath] = await Promise.all([
    startSharedStore(),
    startTestTemporal({ 'history.defaultWorkflowTaskTimeout': '"2s"', 'history.timerProcessorMaxTimeShift': '"10ms"' }),
    quickWorkflows(),
  ]);
  store = shared;
  system = await startSystem({
    temporal,
    workersElsewhere: { store: { kind: 'postgres', url: store.url }, masterKey },
  });
  const { host, port, user: username } = system.simulator.bastion;
  workers = await startCrashingWorkers(
    {
      storeUrl: store.url,
      masterKey: masterKey.toString('base64'),
      temporalAddress: temporal.address,
      bastion: { host, port, username },
      codePath,
    },
    { seed: 1, units, say },
  );
  id = await createInstance(system.http, await onboardSample(system.http));
}, 60_000);
afterAll(async () => {
  await workers?.stop();
  await system?.stop();
  await store?.stop();
});

/** Jobs that were started on nodes: `{operation} {step}`; tokens are minted anew by each attempt. */
function units(): string[] {
  return system.simulator.ledger
    .entries()
    .filter(({ kind }) => kind === 'phase')
    .map(({ detail }) =>
      /^vnflow-(?<operation>[0-9a-f-]{36})-(?<step>.+?)(-credentials-\d+)?-\d+$/.exec(String(detail?.['unit'])),
    )
    .map((match) => `${match?.groups?.['operation']} ${match?.groups?.['step']}`);
}

/** The steps of an operation that ended, and the borders of each at which a worker had to die. */
async function borders(operation: string): Promise<string[]> {
  const opOccId = operation.split('/').at(-1) ?? '';
  const { data } = await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  const kindsOnNodes = /^(prepareNode|loadBalancer|initControlPlane|installCni|joinControlPlane|joinWorker)-/;
  return data.steps.flatMap(({ id: step }: { id: string }) =>
    ['before', 'after', ...(kindsOnNodes.test(step) ? ['during'] : [])].map((side) => `${opOccId} ${step} ${side}`),
  );
}

/** Runs an operation while every worker is killed at the next border, and judges what it did to the cloud. */
async function survives(request: () => Promise<AxiosResponse>): Promise<void> {
  const { simulator, http } = system;
  const seq = simulator.ledger.entries().at(-1)?.seq ?? 0;
  const operation = operationOf(await request());
  const ended = await settled(http, operation, { timeoutMs: 380_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  expect(misdeeds(simulator, simulator.ledger.entries(seq))).toEqual([]);
  const all = await borders(operation);
  await expect.poll(() => all.filter((border) => !workers.crossed.has(border)), { timeout: 20_000 }).toEqual([]);
}

it('instantiates three control-plane nodes and two workers, whatever border of a step a worker is killed at', async () => {
  const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  await survives(() => system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
  expect(workers.kills()).toBeGreaterThan(25);
  expect(system.simulator.fingerprint().content['servers']).toHaveLength(5);
}, 400_000);

it('scales out, whatever border of a step a worker is killed at', async () => {
  const body = { type: 'SCALE_OUT', aspectId: 'workerNode_scale' };
  await survives(() => system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, body));
  expect(system.simulator.fingerprint().content['servers']).toHaveLength(6);
}, 400_000);
