import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SharedStore, startSharedStore } from './testing/shared-store.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { startTcpProxy, type TcpProxy } from './testing/tcp-proxy.ts';

let shared: SharedStore;
let proxy: TcpProxy;
let system: System;

beforeAll(async () => {
  shared = await startSharedStore();
  const url = new URL(shared.url);
  proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  url.hostname = '127.0.0.1';
  url.port = `${proxy.port}`;
  system = await startSystem({ store: { kind: 'postgres', url: url.href } });
}, 120_000);
afterAll(async () => {
  await system.stop();
  await proxy.stop();
  await shared.stop();
});

it('answers 503 with Retry-After while Postgres is away, and an operation under way completes when it is back', async () => {
  const { http, instantiateBody } = system;
  const id = await createInstance(http, await onboardSample(http));
  const operation = operationOf(await http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, instantiateBody()));
  await expect
    .poll(async () => (await http.get(operation)).data.operationState, { timeout: 30_000 })
    .toBe('PROCESSING');
  await proxy.cut();
  const answers = await Promise.all([
    http.get(operation),
    http.post('/vnflcm/v2/vnf_instances', { vnfdId: 'b1bb0ce7-ebca-4fa7-95ed-4840d70a1177' }),
    http.post(`${operation}/cancel`, { cancelMode: 'GRACEFUL' }),
  ]);
  expect(answers.map(({ status, data, headers }) => [status, data.code, headers['retry-after']])).toEqual(
    Array(3).fill([503, 'STORE_UNAVAILABLE', '5']),
  );
  expect((await http.get('/vnflow/v1/health')).status).toBe(503);
  await delay(4_000); // longer than all attempts of a step, if each began at once
  await proxy.mend();
  const ended = await settled(http, operation, { timeoutMs: 90_000, mayBeBusy: true });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  expect((await http.get('/vnflow/v1/health')).status).toBe(200);
}, 180_000);
