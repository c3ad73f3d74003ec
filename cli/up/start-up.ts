import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { readConfiguration } from '../../worker/configuration.ts';
import { freePort } from '../../worker/free-port.ts';
import { type StopStage, stopInOrder } from '../../worker/ordered-stop.ts';
import { installRuntime } from '../../worker/runtime.ts';
import { type RunningVnflow, startVnflow } from '../../worker/start-vnflow.ts';
import { temporalBinary } from '../../worker/temporal-binary.ts';
import { installLastResort, onLastResort } from '../last-resort.ts';
import { type Children, createChildren, startChildren } from './children.ts';
import { lockData } from './data-lock.ts';
import { durabilityLine } from './durability-line.ts';
import { keepAlive } from './keep-alive.ts';
import { linkProgram } from './link-programs.ts';
import { stopProcessesAtOnce } from './process-identity.ts';
import { apiPort, environmentOf } from './settings.ts';
import type { UpOptions } from './up-options.ts';
import { readUpRecord, type UpRecord } from './up-record.ts';

const ARCHIVES = fileURLToPath(new URL('../../.vnflow/new-databases', import.meta.url));
const OWN_PROGRAM = fileURLToPath(new URL('../../bin/vnflow.mjs', import.meta.url));
const BUNDLES = fileURLToPath(new URL('../../.vnflow/bundles', import.meta.url));
/** Limit for an unreachable PostgreSQL: a person waits, and must see the error. */
const START_PATIENCE_MS = 60_000;

export interface Up {
  readonly record: UpRecord & { readonly apiUrl: string };
  /** Rejects when a part has died and cannot be started again. */
  readonly stopped: Promise<void>;
  /**
   * Stops API, worker (drained), store, simulator, Temporal server and lock, in this order.
   * @returns a sentence for each part that did not end cleanly
   */
  stop(): Promise<string[]>;
}

/**
 * Starts all parts of vnflow on this machine, and adopts parts that an earlier, killed `up` left running.
 * @throws Error that names the part that did not start; the started parts are stopped then
 */
export async function startUp(options: UpOptions): Promise<Up> {
  const data = path.resolve(options.data);
  const unlock = lockData(data);
  const logFile = path.join(data, 'vnflow.log');
  installLastResort(logFile);
  const children = createChildren(data, options);
  const forget = onLastResort(() => {
    stopProcessesAtOnce(children.identities());
    unlock();
  });
  const release: StopStage[] = [
    { name: 'the simulator and the Temporal server', limitMs: 40_000, stop: children.stop },
    {
      name: 'the lock',
      limitMs: 1_000,
      stop: () => {
        unlock();
        forget();
      },
    },
  ];
  let vnflow: RunningVnflow | undefined;
  try {
    vnflow = await startParts(children, logFile, options);
    await vnflow.ready;
    const { apiUrl = '' } = vnflow;
    children.keep({ apiUrl });
    const kept = keepAlive(children.kept(), options.say);
    const stopVnflow = vnflow.stop;
    return {
      record: { ...children.record(), apiUrl },
      stopped: Promise.race([vnflow.stopped, kept.died]),
      stop: async () => {
        // the Temporal server is kept alive until the worker is drained, which needs the server
        const problems = await stopVnflow();
        const rest = { name: 'a part that was being started again', limitMs: 5_000, stop: kept.end };
        return [...problems, ...(await stopInOrder([rest, ...release]))];
      },
    };
  } catch (error) {
    await vnflow?.stop();
    await stopInOrder(release);
    throw error;
  }
}

async function startParts(children: Children, logFile: string, options: UpOptions): Promise<RunningVnflow> {
  const { say, durability } = options;
  const data = path.dirname(logFile);
  const port = await apiPort(options, readUpRecord(data));
  await startChildren(children, `http://127.0.0.1:${port}`);
  const { temporal, simulator } = children.record();
  const log = pino({ level: 'info' }, pino.destination({ dest: logFile, mode: 0o600 }));
  const sdkMetrics = `127.0.0.1:${await freePort(0)}`;
  installRuntime(log, sdkMetrics);
  const { store, ...read } = readConfiguration(environmentOf(options, simulator), data);
  const ownTemporal = temporal?.process === undefined ? {} : { temporalAccess: {}, temporalNamespace: 'default' };
  const configuration = {
    ...read,
    ...ownTemporal,
    store: store.kind === 'embedded' ? { ...store, archives: ARCHIVES } : store,
  };
  if (configuration.keystoneUrl) children.keep({ keystoneUrl: configuration.keystoneUrl });
  if (configuration.bastion) {
    const { host, port: sshPort, username } = configuration.bastion;
    children.keep({ bastion: { host, port: sshPort, user: username } });
  }
  children.keep({ programs: linkProgram(data, 'vnflow', OWN_PROGRAM) });
  if (temporal?.process) linkProgram(data, 'temporal', temporalBinary(options.environment));
  // the embedded Postgres is WebAssembly: compiling it a second time, with optimisation, costs 100 MB and gains nothing
  // here
  setFlagsFromString('--liftoff-only');
  const since = Date.now();
  const vnflow = await startVnflow({
    configuration,
    temporalAddress: temporal?.address ?? '',
    log,
    sdkMetrics,
    api: { host: '127.0.0.1', port },
    worker: { bundleCache: BUNDLES },
    patienceMs: START_PATIENCE_MS,
    ...(simulator ? { speed: simulator.speed } : {}),
  });
  const started = vnflow.ready.then(() => {
    say(`Store, worker and API started (${((Date.now() - since) / 1000).toFixed(1)} s)`);
    const ownPostgres = configuration.store.kind === 'postgres';
    say(durabilityLine({ durability, ownPostgres, ownTemporal: temporal?.process === undefined }));
  });
  return { ...vnflow, ready: started };
}
