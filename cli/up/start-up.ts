import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { readConfiguration } from '../../worker/configuration.ts';
import { installRuntime } from '../../worker/runtime.ts';
import { type RunningVnflow, startVnflow } from '../../worker/start-vnflow.ts';
import { lockData } from './data-lock.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';
import { apiPort, environmentOf } from './settings.ts';
import { obtainSimulator } from './simulator.ts';
import { obtainTemporal } from './temporal.ts';
import { readUpRecord, type UpRecord, writeUpRecord } from './up-record.ts';

const BUNDLES = fileURLToPath(new URL('../../.vnflow/bundles', import.meta.url));
const LOOK_AFTER_CHILDREN_MS = 1_000;

export interface UpOptions {
  /** The data directory. */
  readonly data: string;
  /** Of the API; none: 9890, or another one when that is taken. */
  readonly port?: number;
  /** Of the simulator. */
  readonly speed?: number;
  /** False: a real OpenStack is used; its Keystone is VNFLOW_KEYSTONE_URL or OS_AUTH_URL. */
  readonly simulator: boolean;
  /** postgresql://… instead of the embedded store. */
  readonly databaseUrl?: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Told what is being done, a line each. */
  readonly say: (line: string) => void;
}

export interface Up {
  readonly record: UpRecord & { readonly apiUrl: string };
  /** Rejects when a part dies. */
  readonly stopped: Promise<void>;
  /** API, worker (drained), store, simulator, Temporal server. */
  stop(): Promise<void>;
}

interface Parts {
  record: UpRecord;
  vnflow?: RunningVnflow;
}

/**
 * Starts all of vnflow on this machine, or goes on with what an earlier, killed `up` left running.
 * @throws Error saying which part did not start; what was started is stopped again
 */
export async function startUp(options: UpOptions): Promise<Up> {
  const data = path.resolve(options.data);
  const unlock = lockData(data);
  const parts: Parts = { record: firstRecord(data, options) };
  const stop = async () => {
    await parts.vnflow?.stop();
    await stopChildren(parts.record);
    unlock();
  };
  try {
    const vnflow = await startParts(data, options, parts);
    const children = lookAfterChildren(data, parts.record);
    return {
      record: { ...parts.record, apiUrl: vnflow.apiUrl },
      stopped: Promise.race([vnflow.stopped, children.died]),
      stop: async () => {
        children.end();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(data: string, options: UpOptions, parts: Parts): Promise<RunningVnflow & { apiUrl: string }> {
  const before = readUpRecord(data);
  // each part is written down at once: whoever kills us now leaves something that can be adopted
  const keep = (facts: Partial<UpRecord>) => {
    parts.record = { ...parts.record, ...facts };
    writeUpRecord(data, parts.record);
  };
  const port = await apiPort(options, before);
  const apiUrl = `http://127.0.0.1:${port}`;

  const [temporal, simulator] = await Promise.allSettled([
    temporalPart(data, options, { before, keep }),
    simulatorPart(data, { ...options, vnfmUrl: apiUrl }, { before, keep }),
  ]);
  if (temporal.status === 'rejected') throw temporal.reason;
  if (simulator.status === 'rejected') throw simulator.reason;

  const log = pino({ level: 'info' }, pino.destination({ dest: path.join(data, 'vnflow.log'), mode: 0o600 }));
  installRuntime(log);
  const configuration = readConfiguration(environmentOf(options, parts.record.simulator), data);
  // the embedded Postgres is WebAssembly: compiling it a second time, optimised, costs 100 MB and gains nothing here
  setFlagsFromString('--liftoff-only');
  parts.vnflow = await timed(options.say, 'Store, worker and API started', () =>
    startVnflow({
      configuration,
      temporalAddress: temporal.value,
      log,
      api: { host: '127.0.0.1', port },
      worker: { bundleCache: BUNDLES },
      ...(parts.record.simulator ? { speed: parts.record.simulator.speed } : {}),
    }),
  );
  keep({ apiUrl, ...(configuration.keystoneUrl ? { keystoneUrl: configuration.keystoneUrl } : {}) });
  return { ...parts.vnflow, apiUrl };
}

const SAID = {
  given: 'of TEMPORAL_ADDRESS answers',
  adopted: 'of the earlier run still runs: adopted',
  started: 'started',
};

interface Bookkeeping {
  readonly before: UpRecord | undefined;
  readonly keep: (facts: Partial<UpRecord>) => void;
}

/** @returns host:port */
async function temporalPart(
  data: string,
  { environment, say }: UpOptions,
  { before, keep }: Bookkeeping,
): Promise<string> {
  const since = Date.now();
  const { record, how } = await obtainTemporal(data, before?.temporal, environment);
  keep({ temporal: record });
  say(`Temporal server ${SAID[how]}${elapsed(since)}`);
  return record.address;
}

async function simulatorPart(
  data: string,
  { simulator, speed, vnfmUrl, say }: UpOptions & { vnfmUrl: string },
  { before, keep }: Bookkeeping,
): Promise<void> {
  if (!simulator) {
    if (before?.simulator) await stopProcess(before.simulator.process);
    return;
  }
  const since = Date.now();
  const { record, how } = await obtainSimulator({ data, speed, vnfmUrl }, before?.simulator);
  keep({ simulator: record });
  say(`Simulated OpenStack ${SAID[how]}, ${record.speed} × real time${elapsed(since)}`);
}

async function timed<T>(say: (line: string) => void, done: string, work: () => Promise<T>): Promise<T> {
  const since = Date.now();
  const result = await work();
  say(`${done}${elapsed(since)}`);
  return result;
}

function elapsed(since: number): string {
  return ` (${((Date.now() - since) / 1000).toFixed(1)} s)`;
}

/** A part that dies ends all of it with a word, instead of operations that hang. */
function lookAfterChildren(data: string, { temporal, simulator }: UpRecord): { died: Promise<void>; end: () => void } {
  const { promise, reject } = Promise.withResolvers<void>();
  promise.catch(() => {}); // whoever cares awaits it
  const children = [
    { name: 'Temporal server', identity: temporal?.process, log: 'temporal/temporal.log' },
    { name: 'simulator', identity: simulator?.process, log: 'simulator.log' },
  ];
  const timer = setInterval(() => {
    const dead = children.find(({ identity }) => identity && !isAlive(identity));
    if (!dead) return;
    clearInterval(timer);
    reject(
      new Error(
        `The ${dead.name} ended unexpectedly: see ${path.join(data, dead.log)}. \`vnflow up\` starts it again.`,
      ),
    );
  }, LOOK_AFTER_CHILDREN_MS);
  return { died: promise, end: () => clearInterval(timer) };
}

function firstRecord(data: string, options: UpOptions): UpRecord {
  const identity = identityOf(process.pid);
  if (!identity) throw new Error('This system does not tell when a process started (no /proc, no ps).');
  const { temporal, simulator } = readUpRecord(data) ?? {};
  return {
    process: identity,
    ...(temporal ? { temporal } : {}),
    ...(simulator && options.simulator ? { simulator } : {}),
  };
}

/** A server of TEMPORAL_ADDRESS has no process of ours. */
async function stopChildren({ simulator, temporal }: UpRecord): Promise<void> {
  if (simulator) await stopProcess(simulator.process);
  if (temporal?.process) await stopProcess(temporal.process);
}
