import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import axios from 'axios';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { freePort } from '../worker/free-port.ts';
import { type SharedStore, startSharedStore } from './testing/shared-store.ts';
import { startTcpProxy, type TcpProxy } from './testing/tcp-proxy.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-start-order-'));
let shared: SharedStore;
let proxy: TcpProxy;
let environment: NodeJS.ProcessEnv;
const children: ChildProcess[] = [];

beforeAll(async () => {
  shared = await startSharedStore();
  const url = new URL(shared.url);
  proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  url.hostname = '127.0.0.1';
  url.port = `${proxy.port}`;
  const { PATH } = process.env;
  environment = {
    PATH,
    DATABASE_URL: url.href,
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort(0)}`,
    VNFLOW_KEYSTONE_URL: 'http://127.0.0.1:1/identity/v3',
  };
}, 180_000);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await proxy.stop();
  await shared.stop();
  rmSync(directory, { recursive: true });
});

function vnflow(args: readonly string[], env: NodeJS.ProcessEnv = environment) {
  const command = ['--disable-warning=ExperimentalWarning', MAIN, ...args, '--data', directory];
  const child = spawn(process.execPath, command, { env });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return { child, output: () => output, ended: once(child, 'close').then(([code]: (number | null)[]) => code) };
}

it('the API comes up before Postgres and Temporal, answers 503 until the store is there, and then serves', async () => {
  await proxy.cut();
  const port = await freePort(0);
  const { child, output, ended } = vnflow(['api', '--port', `${port}`]);
  const http = axios.create({ baseURL: `http://127.0.0.1:${port}`, validateStatus: () => true, proxy: false });
  const health = async () =>
    (await http.get('/vnflow/v1/health').catch(() => undefined))?.status ?? `not up, exit code ${child.exitCode}`;
  await expect.poll(health, { timeout: 60_000 }).toBe(503);
  const { status, data, headers } = await http.get('/vnflcm/v2/vnf_instances', { headers: { Version: '2.0.0' } });
  expect([status, data.code, headers['retry-after']]).toEqual([503, 'STORE_UNAVAILABLE', '5']);
  await proxy.mend();
  await expect.poll(health, { timeout: 60_000 }).toBe(200);
  expect((await http.get('/vnflcm/v2/vnf_instances')).status).toBe(401);
  child.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
}, 150_000);

it('a worker without Temporal says what it waits for, and ends at SIGTERM', async () => {
  const port = await freePort(0);
  const { child, output, ended } = vnflow(['worker'], {
    ...environment,
    VNFLOW_METRICS_LISTEN: `127.0.0.1:${port}`,
  });
  await expect.poll(output, { timeout: 90_000 }).toContain('waiting for the Temporal server');
  const http = axios.create({ baseURL: `http://127.0.0.1:${port}`, validateStatus: () => true, proxy: false });
  const [alive, ready, metrics] = await Promise.all([http.get('/livez'), http.get('/readyz'), http.get('/metrics')]);
  expect([alive.status, ready.status, metrics.status]).toEqual([200, 503, 200]);
  expect(ready.data.checks).toMatchObject([
    { name: 'store', ok: true },
    { name: 'temporal', ok: false },
    { name: 'worker', ok: false },
  ]);
  expect(metrics.data).toContain('process_cpu_seconds_total');
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
}, 150_000);

it.each([
  ['a Keystone is missing', { VNFLOW_KEYSTONE_URL: '' }, 'VNFLOW_KEYSTONE_URL is not set'],
  ['an address cannot be one', { TEMPORAL_ADDRESS: 'temporal' }, 'TEMPORAL_ADDRESS'],
])(
  'the API ends at once, and not with exit code 0, when %s',
  async (_, wrong, words) => {
    const { output, ended } = vnflow(['api', '--port', '0'], { ...environment, ...wrong });
    expect(await ended, output()).toBe(1);
    expect(output()).toContain(words);
  },
  60_000,
);
