import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Pace } from '../activities/dependencies.ts';
import { checkStore } from '../api/health/check-store.ts';
import type { HealthCheck } from '../api/health/checks.ts';
import type { HealthRoutes } from '../api/health/health-routes.ts';
import { createStoreMetrics } from '../api/health/store-metrics.ts';
import { isLoopback, startApi } from '../api/start-api.ts';
import { VnflowError } from '../domain/problems.ts';
import { engineChecks } from '../engine/check-engine.ts';
import { claimNamespace } from '../engine/claim-namespace.ts';
import { connectEngine } from '../engine/connect-engine.ts';
import { connectionAccess } from '../engine/temporal-access.ts';
import { type MetricsSource, measureProcess } from '../metrics/write-metrics.ts';
import { migrateStore } from '../store/migrate-store.ts';
import { readStoreId } from '../store/store-identity.ts';
import { composeActivities, composeApi, composeStored, type Stored } from './composition.ts';
import type { Configuration } from './configuration.ts';
import { type HealthServer, startHealthServer } from './health-server.ts';
import { type KeptWorker, keepWorker } from './keep-worker.ts';
import { type StopStage, stopInOrder } from './ordered-stop.ts';
import { createSdkMetrics } from './sdk-metrics.ts';
import { startTraces } from './start-traces.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { waitUntilReachable } from './wait-until-reachable.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface VnflowOptions {
  readonly configuration: Configuration;
  /** host:port */
  readonly temporalAddress: string;
  readonly log: Logger;
  /** host:port where Temporal's SDK serves its metrics. Undefined: they are not shown. */
  readonly sdkMetrics?: string;
  /** Where the API listens; port 0 means any port. Undefined: no API runs in this process. */
  readonly api?: { readonly host: string; readonly port: number };
  /** Where the worker keeps workflow bundles. Undefined: no worker runs in this process. */
  readonly worker?: { readonly bundleCache: string };
  /** Factor by which a simulated cloud runs faster than real time. Undefined with a real cloud. */
  readonly speed?: number;
  /** Replaces members of the activities' pace. Undefined in production: the pace follows from `speed`. */
  readonly pace?: Partial<Pace>;
  /**
   * Milliseconds between two comparisons of the store with Temporal. Undefined in production: the reconciler's own
   * period.
   */
  readonly reconcileEveryMs?: number;
  /** Milliseconds that store and Temporal may be unreachable at the start. Undefined: no limit. */
  readonly patienceMs?: number;
}

export interface RunningVnflow {
  /** Undefined when no API runs in this process. The API answers 503 until `ready`. */
  readonly apiUrl?: string;
  /** Base of `/livez`, `/readyz` and `/metrics` on an address of their own. */
  readonly healthUrl?: string;
  /** The store of this process. No other process can open an embedded store at the same time. */
  readonly stored: Stored;
  /** Resolves when the store is open and the worker runs. Rejects when one of them cannot start. */
  readonly ready: Promise<void>;
  /** Rejects when a part has died for good: then only a new process helps. */
  readonly stopped: Promise<void>;
  /**
   * Stops the API, drains the worker, and closes the store.
   * @returns a sentence for each part that did not end cleanly
   */
  stop(): Promise<string[]>;
}

/**
 * Starts the parts of vnflow that run in this process: store, worker, API. PostgreSQL and Temporal need not be
 * reachable yet: the parts wait for them, at the start and whenever they are lost.
 * @throws Error when the API cannot be started: a setting is missing, or its port is taken
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
    const claimed = claimForStore(options, stored, patience);
    // an API alone serves reads while Temporal is away
    if (options.worker) await claimed;
    else claimed.catch((error: unknown) => (stopping.signal.aborted ? undefined : death.reject(error)));
    worker = await workerOf(options, stored, patience);
    worker?.stopped.catch(death.reject);
  };
  const store: StopStage = { name: 'the store', limitMs: 5_000, stop: () => stored.db.destroy() };
  const traces = await startTraces(configuration.traces, { build: configuration.build, log: options.log });
  const notReady = () => (opened ? undefined : createNotOpenedProblem());
  measureProcess();
  const metrics = metricsSources(options, stored);
  const api = await apiOf(options, stored, { notReady, storeOpened: storeOpened.promise, metrics }).catch(
    async (error: unknown) => {
      await stopInOrder([store]);
      throw error;
    },
  );
  const isWorking = () => worker?.isRunning() === true;
  const health = await healthOf(options, { metrics, checks: [checkStore(stored.db, notReady)], isWorking, api }).catch(
    async (error: unknown) => {
      await stopInOrder([{ name: 'the API', limitMs: 5_000, stop: () => api?.stop() }, store]);
      throw error;
    },
  );
  const ready = start();
  const stopped = Promise.race([death.promise, ready.then(() => death.promise)]);
  stopped.catch(() => {}); // a rejection before the caller awaits it must not end the process
  return {
    ...(api ? { apiUrl: api.url } : {}),
    ...(health ? { healthUrl: health.url } : {}),
    stored,
    ready,
    stopped,
    stop: () => {
      stopping.abort();
      return stopInOrder([
        { name: 'the API', limitMs: 5_000, stop: () => api?.stop() },
        { name: 'the start', limitMs: 15_000, stop: () => ready.catch(() => {}) },
        { name: 'the worker', limitMs: 25_000, stop: () => worker?.stop() },
        { name: 'the health server', limitMs: 2_000, stop: () => health?.stop() },
        { name: 'the traces', limitMs: 3_000, stop: () => traces?.stop() },
        store,
      ]);
    },
  };
}

function isStoreAway(error: unknown): boolean {
  return error instanceof VnflowError && error.code === 'STORE_UNAVAILABLE';
}

function createNotOpenedProblem(): VnflowError {
  return new VnflowError('STORE_UNAVAILABLE', { detail: 'The store has not been reached since this process started.' });
}

/** What this process measures besides its own parts. Only an API process speaks for the store. */
function metricsSources({ api, sdkMetrics }: VnflowOptions, { db }: Stored): MetricsSource[] {
  return [
    ...(api ? [createStoreMetrics(db)] : []),
    ...(sdkMetrics === undefined ? [] : [createSdkMetrics(sdkMetrics)]),
  ];
}

type RunningPart = { readonly checks: readonly HealthCheck[] } | undefined;

/** Starts the health server, when one is wanted. It looks at what the parts in this process need. */
async function healthOf(
  { configuration, temporalAddress, worker }: VnflowOptions,
  { isWorking, api, metrics, checks }: HealthRoutes & { isWorking: () => boolean; api: RunningPart },
): Promise<HealthServer | undefined> {
  const { metricsListen, temporalNamespace: namespace, temporalAccess = {} } = configuration;
  if (metricsListen === undefined) return undefined;
  const connection = Connection.lazy({ address: temporalAddress, ...connectionAccess(temporalAccess) });
  const temporal = engineChecks(new Client({ connection, namespace })).filter(({ name }) => name === 'temporal');
  const ownWorker: HealthCheck = {
    name: 'worker',
    look: async () => {
      if (!isWorking()) throw new Error('The worker of this process does not run yet, or is being started again.');
    },
  };
  const all = [...checks, ...(api ? api.checks : temporal), ...(worker ? [ownWorker] : [])];
  const server = await startHealthServer({ checks: all, metrics }, metricsListen);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await connection.close();
    },
  };
}

type Waiting = Omit<Parameters<typeof waitUntilReachable>[1], 'what' | 'passes'>;

const CLAIM_DEADLINE_MS = 2_000;

/** Claims the Temporal namespace, so that no other vnflow works in it. @throws VnflowError NAMESPACE_TAKEN; AbortError */
async function claimForStore(
  { configuration, temporalAddress, log }: VnflowOptions,
  { db }: Stored,
  waiting: Waiting,
): Promise<void> {
  const { temporalNamespace: namespace, temporalAccess = {} } = configuration;
  const connection = Connection.lazy({ address: temporalAddress, ...connectionAccess(temporalAccess) });
  try {
    const client = new Client({ connection, namespace });
    const storeId = await readStoreId(db);
    // a server that is away must delay neither the line about it nor a stop
    const claim = () =>
      connection.withAbortSignal(waiting.signal, () =>
        connection.withDeadline(Date.now() + CLAIM_DEADLINE_MS, () => claimNamespace(client, storeId)),
      );
    const outcome = await waitUntilReachable(claim, {
      ...waiting,
      what: describeTemporal(temporalAddress, namespace),
      passes: (error) => !(error instanceof VnflowError),
    });
    if (outcome === 'unclaimed')
      log.info({ namespace }, 'this account may not write to the namespace: keep other vnflows out of it');
  } finally {
    await connection.close();
  }
}

function describeTemporal(address: string, namespace: string): string {
  return `the Temporal server ${address}, namespace ${namespace}`;
}

async function workerOf(
  { configuration, temporalAddress, log, speed, pace, worker }: VnflowOptions,
  stored: Stored,
  waiting: Waiting,
): Promise<KeptWorker | undefined> {
  if (!worker) return undefined;
  const deps = composeActivities(stored, { configuration, log, speed, pace });
  const { temporalNamespace: namespace, temporalAccess } = configuration;
  const { bundleCache } = worker;
  await workflowBundle(bundleCache); // a defect of the bundle must fail the start at once
  const start = (patience: Waiting): Promise<RunningWorker> =>
    waitUntilReachable(() => startWorker(deps, { temporalAddress, namespace, temporalAccess, bundleCache }), {
      ...patience,
      what: describeTemporal(temporalAddress, namespace),
      passes: () => true,
    });
  return keepWorker(await start(waiting), {
    log,
    startAnother: (signal) =>
      start({ log, signal }).catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error))),
  });
}

async function apiOf(
  { configuration, temporalAddress, log, api, reconcileEveryMs, speed }: VnflowOptions,
  stored: Stored,
  {
    notReady,
    storeOpened,
    metrics,
  }: { notReady: () => VnflowError | undefined; storeOpened: Promise<void>; metrics: readonly MetricsSource[] },
) {
  if (!api) return undefined;
  const { keystoneUrl, openstackCa, tls, temporalAccess } = configuration;
  const { endpoint = `${tls ? 'https' : 'http'}://${api.host}:${api.port}` } = configuration;
  if (keystoneUrl === undefined) {
    throw new Error(
      'VNFLOW_KEYSTONE_URL is not set: the API needs a Keystone that validates the tokens of its clients.',
    );
  }
  const engine = connectEngine(stored.db, {
    temporalAddress,
    namespace: configuration.temporalNamespace,
    temporalAccess,
    secrets: stored.secrets,
    storeOpened,
    log,
    stepLogDays: configuration.stepLogDays,
    ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
  });
  const { packageHosts, vimHosts, allowPackageCode } = configuration;
  const { packageQuotaBytes } = configuration;
  const hosts = { packageHosts, vimHosts };
  const limits = packageQuotaBytes === undefined ? {} : { limits: { projectBytes: packageQuotaBytes } };
  // Metrics name instances and error codes, and scrapers have no token: they are not for everybody on the network.
  const shown = isLoopback(api.host) ? { metrics } : {};
  const { checks } = engine;
  const parts = {
    engine,
    keystoneUrl,
    openstackCa,
    endpoint,
    ...hosts,
    ...limits,
    allowPackageCode,
    speed,
    log,
    notReady,
    checks,
    ...shown,
  };
  const deps = composeApi(stored, parts);
  try {
    if (!tls && !isLoopback(api.host))
      log.warn(
        { host: api.host },
        'the API serves HTTP: tokens and passwords cross the network in clear (docs/security.md)',
      );
    const running = await startApi({ deps, host: api.host, port: api.port, tls });
    return {
      url: running.url,
      checks: deps.checks ?? [],
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
