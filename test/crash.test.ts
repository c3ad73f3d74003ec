import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxiosInstance } from 'axios';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  clientOf,
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  settled,
  tokenOf,
} from './testing/system.ts';
import { testStoreLocation } from './testing/test-store.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const SPEED = '25';
/** The tests cut no power, so the data directory need not survive a power cut. */
const FAST = ['--durability', 'process'];

let data: string;
/** A store of the test's own, which outlives each `up`: in the data directory, or a database on CI's server. */
let environment: NodeJS.ProcessEnv;
let up: ChildProcess | undefined;

interface UpFile {
  readonly process: { readonly pid: number };
  readonly apiUrl?: string;
  readonly temporal?: { readonly address: string; readonly process?: { readonly pid: number } };
  readonly simulator?: { readonly url: string; readonly authUrl: string; readonly process: { readonly pid: number } };
}

beforeEach(async () => {
  data = mkdtempSync(path.join(tmpdir(), 'vnflow-crash-'));
  const store = await testStoreLocation();
  environment = store.kind === 'postgres' ? { ...process.env, DATABASE_URL: store.url } : process.env;
});
afterEach(async () => {
  await stop();
  rmSync(data, { recursive: true });
}, 60_000);

const upFile = (): UpFile | undefined => {
  try {
    return JSON.parse(readFileSync(path.join(data, 'up.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

/** Starts `vnflow up` and waits until it is ready. */
async function start(): Promise<{ http: AxiosInstance; authUrl: string; simulatorUrl: string; said: () => string }> {
  const child = spawn(process.execPath, [MAIN, 'up', '--data', data, '--port', '0', '--speed', SPEED, ...FAST], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  up = child;
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk) => said.push(chunk));
  child.stderr?.on('data', (chunk) => said.push(chunk));
  await expect
    .poll(
      () => {
        if (child.exitCode !== null) throw new Error(`vnflow up ended: ${Buffer.concat(said)}`);
        const record = upFile();
        return record?.process.pid === child.pid && record?.apiUrl !== undefined;
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBe(true);
  const record = upFile();
  if (!record?.apiUrl || !record.simulator) throw new Error('up.json is not whole');
  return {
    http: clientOf(record.apiUrl, await tokenOf(record.simulator.authUrl)),
    authUrl: record.simulator.authUrl,
    simulatorUrl: record.simulator.url,
    said: () => Buffer.concat(said).toString(),
  };
}

async function stop(): Promise<void> {
  if (!up || up.exitCode !== null || up.signalCode !== null) return;
  const ended = new Promise((resolve) => up?.once('exit', resolve));
  up.kill('SIGTERM');
  await ended;
}

/** Kills `vnflow up`; with `everything`, the Temporal server and the simulated cloud, too. */
async function killMinusNine(whole: 'up alone' | 'everything'): Promise<void> {
  const record = upFile();
  const pids = [
    record?.process.pid,
    ...(whole === 'everything' ? [record?.simulator?.process.pid, record?.temporal?.process?.pid] : []),
  ];
  const ended = new Promise((resolve) => up?.once('exit', resolve));
  for (const pid of pids) if (pid !== undefined) process.kill(pid, 'SIGKILL');
  await ended;
}

const phases = (): string[] => {
  const ledger = path.join(data, 'simulator', 'ledger.jsonl');
  if (!existsSync(ledger)) return [];
  return readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"phase"'))
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'phase')
    .map(({ what }) => what);
};

it.each(['up alone', 'everything'] as const)(
  'kill -9 of vnflow up (%s) in the middle of a preparation: started again, it completes unattended and no phase was started twice',
  async (whole) => {
    const before = await start();
    const id = await createInstance(before.http, await onboardSample(before.http));
    const operation = operationOf(
      await before.http.post(
        `/vnflcm/v2/vnf_instances/${id}/instantiate`,
        guideRequest('instantiate-simple.json', before.authUrl),
      ),
    );
    await expect
      .poll(() => phases().filter((what) => what.includes('prepare')).length, { timeout: 60_000, interval: 50 })
      .toBeGreaterThan(0);
    await killMinusNine(whole);

    const after = await start();
    const ended = await settled(after.http, operation, { timeoutMs: 120_000 });
    expect(ended.error).toBeUndefined();
    expect(ended.operationState).toBe('COMPLETED');
    const counts = Map.groupBy(phases(), (what) => what);
    expect([...counts].filter(([, times]) => times.length > 1).map(([what]) => what)).toEqual([]);
    expect([...counts.keys()].filter((what) => what.includes('prepare')).length).toBe(3);
  },
  240_000,
);

it('kill -9 of the Temporal server: it is started again at its address, and the operation completes without a new `vnflow up`', async () => {
  const { http, authUrl } = await start();
  const before = upFile();
  const id = await createInstance(http, await onboardSample(http));
  const operation = operationOf(
    await http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, guideRequest('instantiate-simple.json', authUrl)),
  );
  await expect
    .poll(async () => (await http.get(operation)).data.operationState, { timeout: 30_000 })
    .toBe('PROCESSING');
  process.kill(before?.temporal?.process?.pid ?? 0, 'SIGKILL');
  const ended = await settled(http, operation, { timeoutMs: 120_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const after = upFile();
  expect(after?.process.pid).toBe(before?.process.pid);
  expect(after?.temporal?.process?.pid).not.toBe(before?.temporal?.process?.pid);
  expect(after?.temporal?.address).toBe(before?.temporal?.address);
}, 240_000);

it('a Temporal server that cannot be started again: `vnflow up` says so, stops what it started, releases its lock and exits with 1', async () => {
  const binary = path.join(data, 'temporal-that-runs-once');
  const real = environment['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal';
  const once = path.join(data, 'started');
  const script = `#!/bin/sh
case "$*" in *--help*) exec "${real}" "$@" ;; esac
[ ! -e "${once}" ] || exit 1
touch "${once}"
exec "${real}" "$@"
`;
  writeFileSync(binary, script, { mode: 0o755 });
  environment = { ...environment, VNFLOW_TEMPORAL_BINARY: binary };
  const { said } = await start();
  const record = upFile();
  const ended = new Promise((resolve) => up?.once('exit', resolve));
  process.kill(record?.temporal?.process?.pid ?? 0, 'SIGKILL');
  expect(await ended).toBe(1);
  expect(said()).toContain('The Temporal server ended again and again and is given up');
  expect(existsSync(path.join(data, 'up.lock'))).toBe(false);
  expect(existsSync(`/proc/${record?.simulator?.process.pid}/exe`)).toBe(false);
}, 240_000);
