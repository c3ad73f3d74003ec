import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfiguration } from '../../worker/configuration.ts';
import { freePort } from '../../worker/free-port.ts';
import { installRuntime } from '../../worker/runtime.ts';
import { type RunningVnflow, startVnflow } from '../../worker/start-vnflow.ts';
import { lockData } from './data-lock.ts';
import { identityOf, stopProcess } from './process-identity.ts';
import { obtainSimulator } from './simulator.ts';
import { obtainTemporal } from './temporal.ts';
import { readUpRecord, type UpRecord, writeUpRecord } from './up-record.ts';

const BUNDLES = fileURLToPath(new URL('../../.vnflow/bundles', import.meta.url));
const PORT = 9890;

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
  /** Rejects when the worker dies. */
  readonly stopped: Promise<void>;
  /** API, worker (drained), store, simulator, Temporal server. */
  stop(): Promise<void>;
}

/**
 * Starts all of vnflow on this machine, or goes on with what an earlier, killed `up` left running.
 * @throws Error saying which part did not start; what was started is stopped again
 */
export async function startUp(options: UpOptions): Promise<Up> {
  const data = path.resolve(options.data);
  const unlock = lockData(data);
  const parts: Parts = { record: firstRecord(data) };
  const stop = async () => {
    await parts.vnflow?.stop();
    await stopChildren(parts.record);
    unlock();
  };
  try {
    const apiUrl = await startParts(data, options, parts);
    return { record: { ...parts.record, apiUrl }, stopped: parts.vnflow?.stopped ?? Promise.resolve(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  record: UpRecord;
  vnflow?: RunningVnflow;
}

/** Each part is written down at once: whoever kills us now leaves something that can be adopted. */
async function startParts(data: string, options: UpOptions, parts: Parts): Promise<string> {
  const before = readUpRecord(data);
  const keep = (facts: Partial<UpRecord>) => {
    parts.record = { ...parts.record, ...facts };
    writeUpRecord(data, parts.record);
  };
  const port = await apiPort(options, before);
  const vnfmUrl = `http://127.0.0.1:${port}`;

  const [temporal, simulator] = await Promise.allSettled([
    obtainTemporal(data, before?.temporal, options.environment).then((found) => {
      keep({ temporal: found.record });
      options.say(`Temporal server ${SAID[found.how]}`);
      return found.record;
    }),
    options.simulator ? simulatorPart(data, { ...options, vnfmUrl }, before, keep) : undefined,
  ]);
  if (temporal.status === 'rejected') throw temporal.reason;
  if (simulator.status === 'rejected') throw simulator.reason;

  const log = pino({ level: 'info' }, pino.destination({ dest: path.join(data, 'vnflow.log'), mode: 0o600 }));
  installRuntime(log);
  const configuration = readConfiguration(environmentOf(options, parts.record), data);
  parts.vnflow = await startVnflow({
    configuration,
    temporalAddress: temporal.value.address,
    log,
    api: { host: '127.0.0.1', port },
    worker: { bundleCache: BUNDLES },
  });
  options.say('Store, worker and API started');
  keep({ apiUrl: vnfmUrl, ...(configuration.keystoneUrl ? { keystoneUrl: configuration.keystoneUrl } : {}) });
  return vnfmUrl;
}

const SAID = {
  given: 'of TEMPORAL_ADDRESS answers',
  adopted: 'of the earlier run still runs: adopted',
  started: 'started',
};

async function simulatorPart(
  data: string,
  { speed, vnfmUrl, say }: UpOptions & { vnfmUrl: string },
  before: UpRecord | undefined,
  keep: (facts: Partial<UpRecord>) => void,
): Promise<void> {
  const { record, how } = await obtainSimulator({ data, speed, vnfmUrl }, before?.simulator);
  keep({ simulator: record });
  say(`Simulated OpenStack ${SAID[how]}, ${record.speed} × real time`);
}

async function apiPort({ port, say }: UpOptions, before: UpRecord | undefined): Promise<number> {
  if (port !== undefined && port !== 0) {
    if ((await freePort(port)) !== port)
      throw new Error(`Port ${port} of 127.0.0.1 is taken. Choose another one with --port.`);
    return port;
  }
  const wanted = port ?? Number(new URL(before?.apiUrl ?? `http://127.0.0.1:${PORT}`).port);
  const free = await freePort(wanted);
  if (wanted !== 0 && free !== wanted) say(`Port ${wanted} is taken; the API listens on ${free}`);
  return free;
}

/** The settings of API and worker: what we started, else what the environment says. */
function environmentOf({ environment, databaseUrl }: UpOptions, { simulator }: UpRecord): NodeJS.ProcessEnv {
  const { TEMPORAL_ADDRESS: _, ...rest } = environment;
  const keystone = rest['VNFLOW_KEYSTONE_URL'] || rest['OS_AUTH_URL'];
  return {
    ...rest,
    ...(keystone ? { VNFLOW_KEYSTONE_URL: keystone } : {}),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(simulator ? ofSimulator(simulator) : {}),
  };
}

function ofSimulator({ authUrl, bastion }: NonNullable<UpRecord['simulator']>): NodeJS.ProcessEnv {
  return { VNFLOW_KEYSTONE_URL: authUrl, VNFLOW_BASTION: `${bastion.user}@${bastion.host}:${bastion.port}` };
}

function firstRecord(data: string): UpRecord {
  const identity = identityOf(process.pid);
  if (!identity) throw new Error('This system does not tell when a process started (no /proc, no ps).');
  const { temporal, simulator } = readUpRecord(data) ?? {};
  return { process: identity, ...(temporal ? { temporal } : {}), ...(simulator ? { simulator } : {}) };
}

/** @param record its children; those of TEMPORAL_ADDRESS have no process of ours */
async function stopChildren({ simulator, temporal }: UpRecord): Promise<void> {
  if (simulator) await stopProcess(simulator.process);
  if (temporal?.process) await stopProcess(temporal.process);
}
