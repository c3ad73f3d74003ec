import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANY_PORTS, startTemporalServer, type TemporalServer } from '../worker/temporal-server.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { installQuietRuntime } from './testing/temporal.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-outage-'));
const settings = {
  binary: process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal',
  directory,
  headless: true,
  durability: 'process',
} as const;
let temporal: TemporalServer;
let system: System;

beforeAll(async () => {
  installQuietRuntime();
  temporal = await startTemporalServer({ ...settings, ports: ANY_PORTS });
  system = await startSystem({ temporal });
}, 120_000);
afterAll(async () => {
  await system.stop();
  await temporal.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('reads go on while the Temporal server is dead, what needs it answers 503, and it goes on when it is back', async () => {
  const { http, instantiateBody } = system;
  const vnfdId = await onboardSample(http);
  const [first, second] = [await createInstance(http, vnfdId), await createInstance(http, vnfdId)];
  const operation = operationOf(await http.post(`/vnflcm/v2/vnf_instances/${first}/instantiate`, instantiateBody()));
  await expect
    .poll(async () => (await http.get(operation)).data.operationState, { timeout: 30_000 })
    .toBe('PROCESSING');
  const port = Number(temporal.address.split(':')[1]);
  process.kill(temporal.pid, 'SIGKILL');
  const refused = await http.post(`/vnflcm/v2/vnf_instances/${second}/instantiate`, instantiateBody());
  expect([refused.status, refused.data.code, refused.headers['retry-after']]).toEqual([503, 'ENGINE_UNAVAILABLE', '5']);
  expect((await http.get(operation)).data.operationState).toBe('PROCESSING');
  expect((await http.get('/vnflcm/v2/vnf_instances')).data.length).toBe(2);

  temporal = await startTemporalServer({ ...settings, ports: { ...ANY_PORTS, grpc: port }, keepAddress: true });
  const ended = await settled(http, operation, { timeoutMs: 120_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
}, 240_000);
