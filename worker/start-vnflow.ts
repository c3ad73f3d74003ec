import type { Logger } from 'pino';
import type { Pace } from '../activities/dependencies.ts';
import { startApi } from '../api/start-api.ts';
import { VnflowError } from '../domain/problems.ts';
import { connectEngine } from '../engine/connect-engine.ts';
import { migrateStore } from '../store/open-store.ts';
import { composeActivities, composeApi, composeStored, type Stored } from './composition.ts';
import type { Configuration } from './configuration.ts';
import { type KeptWorker, keepWorker } from './keep-worker.ts';
import { type StopStage, stopInOrder } from './ordered-stop.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { waitUntilReachable } from './wait-until-reachable.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface VnflowOptions {
  readonly configuration: Configuration;
  /** host:port */
  readonly temporalAddress: string;
  readonly log: Logger;
  /** Run the API? Where it listens; port 0: any. */
  readonly api?: { readonly host: string; readonly port: number };
  /** Run a worker? Where workflow bundles are kept. */
  readonly worker?: { readonly bundleCache: string };
  /** Factor by which the time of a simulated cloud runs faster than real time. Undefined with a real cloud. */
  readonly speed?: number;
  /** Replaces parts of the activities' pace. Undefined in production: the pace follows from `speed`. */
  readonly pace?: Partial<Pace>;
  /** Milliseconds between two comparisons of the store with Temporal. Undefined in production: the reconciler's own period. */
  readonly reconcileEveryMs?: number;
  /** Milliseconds that store and Temporal may be unreachable at the start. Undefined: no limit. */
  readonly patienceMs?: number;
}

export interface RunningVnflow {
  /** Present when the API runs. It answers 503 until `ready`. */
  readonly apiUrl?: string;
  /** The store of this process: with the embedded one, nothing else can open it. */
  readonly stored: Stored;
  /** Resolves when the store was opened and the worker runs; rejects when that cannot be. */
  readonly ready: Promise<void>;
  /** Rejects when a part has died for good: nothing but another process helps. */
  readonly stopped: Promise<void>;
  /** API first, then the worker drained, the store last. @returns a sentence for each that did not end cleanly */
  stop(): Promise<string[]>;
}

/**
 * The parts of vnflow that run in this process, put together: store, worker, API. Store and Temporal need not be there yet: both are
 * waited for, and looked for again whenever they are lost.
 * @throws Error when the API cannot be started: a setting is missing, its port is taken
 */
export async function startVnflow(options: VnflowOptions): Promise<RunningVnflow> {
  const { configuration } = options;
  const death = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const stored = composeStored(configuration, death.reject);
  const storeOpened = Promise.withResolvers<void>();
  let opened = false;
  let worker: KeptWorker | undefined;
  const start = async () => {
    const patience = { log: options.log, limitMs: options.patienceMs, signal: stopping.signal };
    await waitUntilReachable(() => migrateStore(stored.db), { what: 'the store', ...patience, passes: isStoreAway });
    opened = true;
    storeOpened.resolve();
    worker = await workerOf(options, stored, patience);
    worker?.stopped.catch(death.reject);
  };
  const store: StopStage = { name: 'the store', limitMs: 5_000, stop: () => stored.db.destroy() };
  const notReady = () => (opened ? undefined : notOpenedYet());
  const api = await apiOf(options, stored, { notReady, storeOpened: storeOpened.promise }).catch(
    async (error: unknown) => {
      await stopInOrder([store]);
      throw error;
    },
  );
  const ready = start();
  const stopped = Promise.race([death.promise, ready.then(() => death.promise)]);
  stopped.catch(() => {}); // a rejection before somebody awaits it must not end the process
  return {
    ...(api ? { apiUrl: api.url } : {}),
    stored,
    ready,
    stopped,
    stop: () => {
      stopping.abort();
      return stopInOrder([
        { name: 'the API', limitMs: 5_000, stop: () => api?.stop() },
        { name: 'the start', limitMs: 15_000, stop: () => ready.catch(() => {}) },
        { name: 'the worker', limitMs: 25_000, stop: () => worker?.stop() },
        store,
      ]);
    },
  };
}

function isStoreAway(error: unknown): boolean {
  return error instanceof VnflowError && error.code === 'STORE_UNAVAILABLE';
}

function notOpenedYet(): VnflowError {
  return new VnflowError('STORE_UNAVAILABLE', { detail: 'The store has not been reached since this process started.' });
}

type Waiting = Omit<Parameters<typeof waitUntilReachable>[1], 'what' | 'passes'>;

async function workerOf(
  { configuration, temporalAddress, log, speed, pace, worker }: VnflowOptions,
  stored: Stored,
  waiting: Waiting,
): Promise<KeptWorker | undefined> {
  if (!worker) return undefined;
  const deps = composeActivities(stored, { configuration, log, speed, pace });
  const namespace = configuration.temporalNamespace;
  await workflowBundle(worker.bundleCache); // a defect shows here, and is not waited for
  const start = (patience: Waiting): Promise<RunningWorker> =>
    waitUntilReachable(() => startWorker(deps, { temporalAddress, namespace, bundleCache: worker.bundleCache }), {
      ...patience,
      what: `the Temporal server ${temporalAddress}, namespace ${namespace}`,
      passes: () => true,
    });
  return keepWorker(await start(waiting), {
    log,
    startAnother: (signal) =>
      start({ log, signal }).catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error))),
  });
}

async function apiOf(
  { configuration, temporalAddress, log, api, reconcileEveryMs }: VnflowOptions,
  stored: Stored,
  { notReady, storeOpened }: { notReady: () => VnflowError | undefined; storeOpened: Promise<void> },
) {
  if (!api) return undefined;
  const { keystoneUrl, endpoint = `http://${api.host}:${api.port}` } = configuration;
  if (keystoneUrl === undefined) {
    throw new Error('VNFLOW_KEYSTONE_URL is not set: the API needs a Keystone to ask whose token it is given.');
  }
  const engine = connectEngine(stored.db, {
    temporalAddress,
    namespace: configuration.temporalNamespace,
    secrets: stored.secrets,
    storeOpened,
    log,
    ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
  });
  const { packageHosts } = configuration;
  const deps = composeApi(stored, { engine, keystoneUrl, endpoint, packageHosts, log, notReady });
  try {
    const running = await startApi({ deps, host: api.host, port: api.port });
    return {
      url: running.url,
      stop: async () => {
        await running.stop();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
