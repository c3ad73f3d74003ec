import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CrashingWorkers, startCrashingWorkers } from './testing/crashing-workers.ts';
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
const say = process.env['VNFLOW_TEST_LOG'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`);

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

/** Jobs that were started on nodes: `{operation} {step}`. */
function units(): string[] {
  return system.simulator.ledger
    .entries()
    .filter(({ kind }) => kind === 'phase')
    .map(({ detail }) => /^vnflow-(?<operation>[0-9a-f-]{36})-(?<step>.+)-\d+$/.exec(String(detail?.['unit'])))
    .map((match) => `${match?.groups?.['operation']} ${match?.groups?.['step']}`);
}

it('instantiates three control-plane nodes and two workers', async () => {
  const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
  const ended = await settled(system.http, operation, { timeoutMs: 150_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  console.log(workers.kills(), [...workers.crossed].length);
}, 180_000);
