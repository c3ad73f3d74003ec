import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import { z } from 'zod';
import { freePort } from '../../worker/free-port.ts';
import { identityOf, isAlive, type ProcessIdentity, stopProcess } from './process-identity.ts';
import { checkSimulatorPresent, SIMULATOR_PROGRAM } from './simulator-presence.ts';
import type { SimulatorRecord } from './up-record.ts';

const PORT = 9891;
const BASTION_PORT = 9892;
const START_LIMIT_MS = 60_000;

const Ready = z.object({
  ready: z.literal(true),
  authUrl: z.url(),
  url: z.url(),
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }),
  proxyUrl: z.url(),
  pid: z.int(),
});
const Health = z.object({ pid: z.int(), speed: z.number(), hosts: z.int() });

export interface SimulatorOptions {
  readonly data: string;
  /** Simulated seconds per real second. Undefined: as in the last run, or 1. */
  readonly speed: number | undefined;
  /** Smallest number of compute hosts. Undefined: as many as the stored world has, 6 for a new world. */
  readonly hosts?: number | undefined;
  /** URL of vnflow for the service catalogue of the cloud. */
  readonly vnfmUrl: string;
  /** Called with the process right after its launch, long before it is ready. */
  readonly launched: (identity: ProcessIdentity) => void;
}

/**
 * Provides the embedded cloud: a process that an earlier `up` left running, or a new process that loads the world from
 * the disk.
 * @param before the record in `up.json`
 * @throws Error with the end of its log when it does not start
 */
export async function obtainSimulator(
  options: SimulatorOptions,
  before: SimulatorRecord | undefined,
): Promise<{ record: SimulatorRecord; how: 'adopted' | 'started' }> {
  checkSimulatorPresent();
  const speed = options.speed ?? before?.speed ?? 1;
  if (before && isAlive(before.process)) {
    if (await isHealthy(before, speed, options.hosts)) return { record: before, how: 'adopted' };
    await stopProcess(before.process);
  }
  return { record: await startSimulator({ ...options, speed }, before), how: 'started' };
}

async function isHealthy({ url, process: { pid } }: SimulatorRecord, speed: number, hosts = 0): Promise<boolean> {
  try {
    const { data } = await axios.get(`${url}/_simulator/health`, { timeout: 3_000, proxy: false });
    const health = Health.parse(data);
    return health.pid === pid && health.speed === speed && health.hosts >= hosts;
  } catch {
    return false;
  }
}

async function startSimulator(
  { data, speed, hosts, vnfmUrl, launched }: SimulatorOptions & { speed: number },
  before: SimulatorRecord | undefined,
): Promise<SimulatorRecord> {
  const port = await freePort(before ? Number(new URL(before.url).port) : PORT);
  const bastionPort = await freePort(before?.bastion.port ?? BASTION_PORT);
  const log = path.join(data, 'simulator.log');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // the output goes to a file, because with a pipe the simulator could not go on after this process is killed
  const output = openSync(log, 'a', 0o600);
  const logStart = statSync(log).size;
  const args = ['--directory', path.join(data, 'simulator'), '--port', `${port}`, '--bastion-port', `${bastionPort}`];
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=1',
      SIMULATOR_PROGRAM,
      ...args,
      '--speed',
      `${speed}`,
      '--vnfm-url',
      vnfmUrl,
      ...(hosts === undefined ? [] : ['--hosts', `${hosts}`]),
    ],
    { detached: true, stdio: ['ignore', output, output], env: { ...process.env, MALLOC_ARENA_MAX: '2' } },
  );
  closeSync(output);
  const own = child.pid === undefined ? undefined : identityOf(child.pid);
  if (own) launched(own);
  const until = Date.now() + START_LIMIT_MS;
  while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
    const ready = readyLine(readFileSync(log).subarray(logStart).toString());
    const identity = ready && identityOf(ready.pid);
    if (ready && identity) {
      child.unref();
      const { url, authUrl, bastion, proxyUrl } = ready;
      return { url, authUrl, bastion, proxyUrl, speed, process: identity };
    }
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error(
    `The simulator did not start:\n${readFileSync(log).subarray(logStart).toString().trim().slice(-2_000)}`,
  );
}

function readyLine(text: string): z.infer<typeof Ready> | undefined {
  for (const line of text.split('\n').filter((part) => part.startsWith('{'))) {
    const parsed = Ready.safeParse(parseJson(line));
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
