import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxiosInstance } from 'axios';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testStoreLocation } from '../store/test-store.ts';
import {
  clientOf,
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  settled,
  tokenOf,
} from './testing/system.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const SPEED = '25';
/** No power is cut here. */
const FAST = ['--durability', 'process'];

let data: string;
/** A store of the test's own, which outlives each `up`: in the data directory, or a database on CI's server. */
let environment: NodeJS.ProcessEnv;
let up: ChildProcess | undefined;

interface UpFile {
  readonly process: { readonly pid: number };
  readonly apiUrl?: string;
  readonly temporal?: { readonly process?: { readonly pid: number } };
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
async function start(): Promise<{ http: AxiosInstance; authUrl: string; simulatorUrl: string }> {
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
  };
}

async function stop(): Promise<void> {
  if (!up || up.exitCode !== null || up.signalCode !== null) return;
  const ended = new Promise((resolve) => up?.once('exit', resolve));
  up.kill('SIGTERM');
  await ended;
}

/** `everything`: the Temporal server and the simulated cloud die too. */
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
