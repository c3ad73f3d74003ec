import type { Logger } from 'pino';
import { type ActivityDependencies, paceAt } from '../activities/dependencies.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { startApi } from '../api/start-api.ts';
import { connectEngine } from '../engine/connect-engine.ts';
import { validateToken } from '../openstack/keystone-token.ts';
import { readCsar } from '../packages/csar.ts';
import { createClusterBackups } from '../store/cluster-backups.ts';
import { openStore } from '../store/open-store.ts';
import { createSecrets } from '../store/secrets.ts';
import { checkVim } from './check-vim.ts';
import type { Configuration } from './configuration.ts';
import { startWorker } from './start-worker.ts';

export interface VnflowOptions {
  readonly configuration: Configuration;
  /** host:port */
  readonly temporalAddress: string;
  readonly log: Logger;
  /** Run the API? Where it listens; port 0: any. */
  readonly api?: { readonly host: string; readonly port: number };
  /** Run a worker? Where workflow bundles are kept. */
  readonly worker?: { readonly bundleCache: string };
  /** How much faster than ours the time of the simulated world runs: it wants quicker looks. None: the real world. */
  readonly speed?: number;
}

export interface RunningVnflow {
  /** Present when the API runs. */
  readonly apiUrl?: string;
  /** Rejects when the worker dies. */
  readonly stopped: Promise<void>;
  /** API first, then the worker drained, the store last. */
  stop(): Promise<void>;
}

/**
 * The parts of vnflow that run in this process, put together: store, worker, API.
 * @throws Error when the store cannot be opened, Temporal does not answer or the port is taken; what was started is stopped
 */
export async function startVnflow(options: VnflowOptions): Promise<RunningVnflow> {
  const { configuration } = options;
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const db = await openStore(configuration.store);
    stops.push(() => db.destroy());
    const secrets = createSecrets(db, configuration.masterKey);
    const worker = await workerOf(options, { db, secrets });
    if (worker) stops.push(worker.stop);
    const api = await apiOf(options, { db, secrets });
    if (api) stops.push(api.stop);
    const stopped = worker?.stopped ?? new Promise<void>(() => {});
    stopped.catch(() => {}); // whoever cares awaits it
    return { ...(api ? { apiUrl: api.url } : {}), stopped, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Stored = Pick<ActivityDependencies, 'db' | 'secrets'>;

async function workerOf({ configuration, temporalAddress, log, speed = 1, worker }: VnflowOptions, stored: Stored) {
  if (!worker) return undefined;
  const { bastion, masterKey } = configuration;
  const backups = { ...configuration.backups, store: createClusterBackups(stored.db, masterKey) };
  const deps: ActivityDependencies = { ...stored, backups, pace: paceAt(speed), log, ...(bastion ? { bastion } : {}) };
  const namespace = configuration.temporalNamespace;
  return startWorker(deps, { temporalAddress, namespace, bundleCache: worker.bundleCache });
}

async function apiOf({ configuration, temporalAddress, log, api }: VnflowOptions, stored: Stored) {
  if (!api) return undefined;
  const { keystoneUrl, endpoint = `http://${api.host}:${api.port}` } = configuration;
  if (keystoneUrl === undefined) {
    throw new Error('VNFLOW_KEYSTONE_URL is not set: the API needs a Keystone to ask whose token it is given.');
  }
  const engine = await connectEngine(stored.db, {
    temporalAddress,
    namespace: configuration.temporalNamespace,
    secrets: stored.secrets,
    log,
  });
  const deps: ApiDependencies = {
    ...stored,
    engine,
    readCsar,
    checkVim,
    validateToken: (token) => validateToken(keystoneUrl, token),
    authUrl: keystoneUrl,
    endpoint,
    log,
  };
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
