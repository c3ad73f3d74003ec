import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type CrashingWorkers, startCrashingWorkers } from './testing/crashing-workers.ts';
import { misdeeds } from './testing/ledger-judge.ts';
import { type SpanCollector, startSpanCollector } from './testing/span-collector.ts';
import { storeContent } from './testing/store-content.ts';
import { createInstance, guideRequest, onboardSample, operationOf, settled } from './testing/system.ts';
import { type SystemOfWorkers, startSystemOfWorkers } from './testing/system-of-workers.ts';

/** The places where a worker is stopped: the borders of steps that change cloud and store, and the middle of jobs. */
const STOPPED = [
  'applyStack before',
  'discover before',
  'discover after',
  'prepareNode-workerNode-1 during',
  'initControlPlane-masterNode-0 after',
  'joinControlPlane-masterNode-1 during',
  'joinWorker-workerNode-0 before',
  'growStack after',
  'joinWorker-workerNode-2 during',
];

let system: SystemOfWorkers;
let workers: CrashingWorkers;
let id: string;
let collector: SpanCollector;

beforeAll(async () => {
  collector = await startSpanCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
  system = await startSystemOfWorkers();
  workers = await startCrashingWorkers(system.workerSettings, {
    by: 'SIGSTOP',
    atOnce: 2,
    where: (border) => STOPPED.includes(border),
    seed: 3,
    jobs: system.jobs,
  });
  id = await createInstance(system.http, await onboardSample(system.http));
}, 120_000);
afterAll(async () => {
  await workers?.stop();
  await system?.stop();
  await collector?.stop();
});

async function completes(action: string, body: object): Promise<void> {
  const answer = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/${action}`, body);
  const ended = await settled(system.http, operationOf(answer), { timeoutMs: 120_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
}

const seen = () => system.simulator.ledger.entries();
/**
 * The entries of the ledger that change something. A look, a login, and the question whether a job has run already
 * change nothing: a worker that was stopped during a question still gets the answer.
 */
const CHANGES: Readonly<Record<string, RegExp>> = {
  http: /^(PUT|PATCH|DELETE|POST (?!\S*\/auth\/tokens))/,
  command: /^(kubeadm|systemd-run|kubectl (?!\S*get|.* get )|etcdctl .*member (add|remove))/,
  phase: /./,
  machine: /./,
  etcd: /./,
};
const acts = (since: number) =>
  system.simulator.ledger
    .entries(since)
    .filter(({ kind, what }) => CHANGES[kind]?.test(what))
    .map(({ kind, where, what }) => `${kind} ${where} ${what}`);

it('workers that are stopped in mid-step delay no operation, and do no harm when they come back after everything has changed; one trace shows the attempts of all', async () => {
  const first = seen().at(-1)?.seq ?? 0;
  await completes('instantiate', guideRequest('instantiate-complex.json', system.simulator.authUrl));
  await completes('scale', { type: 'SCALE_OUT', aspectId: 'workerNode_scale' });
  expect(
    misdeeds(
      system.simulator,
      seen().filter(({ seq }) => seq > first),
    ),
  ).toEqual([]);
  expect([...new Set([...workers.struck].map((border) => border.slice(37)))].sort()).toEqual([...STOPPED].sort());

  const cloud = system.simulator.fingerprint();
  const store = await storeContent(system.db);
  const before = seen().at(-1)?.seq ?? 0;
  workers.wake();
  await delay(5_000);
  expect(acts(before)).toEqual([]);
  expect(system.simulator.fingerprint()).toEqual(cloud);
  expect(await storeContent(system.db)).toEqual(store);

  const instantiate = collector.spans.find(({ name }) => name === 'INSTANTIATE');
  const trace = collector.spans.filter(({ traceId }) => traceId === instantiate?.traceId);
  // a worker that got the step while it was stopped comes too late to begin an attempt
  const inits = trace.filter(
    ({ name, attributes }) => name === 'initControlPlane' && attributes['vnflow.step.attempt'],
  );
  expect(inits.map(({ attributes }) => attributes['vnflow.step.attempt']).sort()).toEqual([1, 2]);
  expect(new Set(inits.map(({ process }) => process)).size, 'each attempt has a process of its own').toBe(2);
  expect(inits.every(({ parentSpanId }) => parentSpanId === instantiate?.spanId)).toBe(true);

  await completes('terminate', { terminationType: 'FORCEFUL' });
  expect(system.simulator.fingerprint().content['servers']).toEqual([]);
}, 400_000);
