import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import type { Logger } from 'pino';
import { DEFAULT_BACKUPS, type Pace } from '../../activities/dependencies.ts';
import { startApi } from '../../api/start-api.ts';
import { connectEngine } from '../../engine/connect-engine.ts';
import { validateToken } from '../../openstack/keystone-token.ts';
import { checkConnection } from '../../openstack/session.ts';
import { readCsar } from '../../packages/csar.ts';
import { packCsar } from '../../packages/pack.ts';
import { startSimulator } from '../../simulator/index.ts';
import { createClusterBackups } from '../../store/cluster-backups.ts';
import { openStore, type StoreLocation } from '../../store/open-store.ts';
import { createSecrets } from '../../store/secrets.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { TemporalServer } from '../../worker/temporal-server.ts';
import { askForPlans, bearWitness, checkAgainstPlan } from './planned.ts';
import { BUNDLES, quiet, startTestTemporal } from './temporal.ts';
import { TEST_PACE } from './test-pace.ts';
import { testStoreLocation } from './test-store.ts';

const samples = fileURLToPath(new URL('../../samples', import.meta.url));
const FINAL = new Set(['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK']);

export type System = Awaited<ReturnType<typeof startSystem>>;

interface SystemOptions {
  readonly speed?: number;
  /** Compute hosts of the cloud. */
  readonly hosts?: number;
  /** Of the caller; none: one of its own. */
  readonly temporal?: TemporalServer;
  readonly log?: Logger;
  readonly pace?: Partial<Pace>;
  /** How often the store is compared with Temporal. */
  readonly reconcileEveryMs?: number;
  /** None: one of its own, which ends with it. */
  readonly store?: StoreLocation;
  /** Workers are processes of their own: where they find the store, and the key that they share with the API. */
  readonly workersElsewhere?: { readonly store: StoreLocation; readonly masterKey: Buffer };
}

/** The whole of vnflow against the embedded cloud, in this process; only the Temporal server is another one. */
export async function startSystem(options: SystemOptions = {}) {
  const { speed = 200, hosts, temporal: given, log = quiet, pace, store, reconcileEveryMs } = options;
  const { workersElsewhere: elsewhere } = options;
  const [temporal, simulator, db] = await Promise.all([
    given ?? startTestTemporal(),
    startSimulator({ speed, ...(hosts === undefined ? {} : { hosts }) }),
    elsewhere ? openStore(elsewhere.store) : openStore(store ?? (await testStoreLocation())),
  ]);
  const masterKey = elsewhere?.masterKey ?? randomBytes(32);
  const secrets = createSecrets(db, masterKey);
  const backups = createClusterBackups(db, masterKey);
  const engine = connectEngine(db, {
    temporalAddress: temporal.address,
    namespace: 'default',
    secrets,
    log,
    ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
  });
  const { host, port, user: username } = simulator.bastion;
  const worker = elsewhere
    ? undefined
    : await startWorker(
        {
          db,
          secrets,
          backups: { ...DEFAULT_BACKUPS, store: backups },
          bastion: { host, port, username },
          pace: { ...TEST_PACE, ...pace },
          log,
        },
        { temporalAddress: temporal.address, namespace: 'default', bundleCache: BUNDLES },
      );
  const api = await startApi({
    deps: {
      db,
      secrets,
      engine,
      readCsar,
      checkVim: checkConnection,
      validateToken: (token) => validateToken(simulator.authUrl, token),
      authUrl: simulator.authUrl,
      endpoint: 'http://127.0.0.1:9890',
      log,
    },
    host: '127.0.0.1',
    port: 0,
  });
  bearWitness(api.url, simulator.ledger);
  const http = clientOf(api.url, await tokenOf(simulator.authUrl));
  return {
    temporal,
    simulator,
    db,
    secrets,
    backups,
    api,
    http,
    /** The guide's request with the simulator's endpoint, and a `vim_name` of its own. */
    instantiateBody: () => guideRequest('instantiate-simple.json', simulator.authUrl),
    stop: async () => {
      await api.stop();
      await worker?.stop();
      await engine.close();
      await simulator.stop();
      await temporal.stop();
      await db.destroy();
    },
  };
}

export function clientOf(url: string, token: string): AxiosInstance {
  return askForPlans(
    axios.create({
      baseURL: url,
      headers: { 'X-Auth-Token': token, Version: '2.0.0' },
      validateStatus: () => true,
      proxy: false,
    }),
  );
}

export async function tokenOf(
  authUrl: string,
  { username = 'nfv_user', password = 'devstack', project = 'nfv' } = {},
): Promise<string> {
  const domain = { name: 'Default' };
  const answer = await axios.post(`${authUrl}/auth/tokens`, {
    auth: {
      identity: { methods: ['password'], password: { user: { name: username, domain, password } } },
      scope: { project: { name: project, domain } },
    },
  });
  return String(answer.headers['x-subject-token']);
}

let requests = 0;

/** A request of the guide, verbatim but for the VIM's endpoint, and its `vim_name` made unique: a project has each only once. */
export function guideRequest(file: string, endpoint: string) {
  const body = JSON.parse(readFileSync(path.join(samples, 'requests', file), 'utf8'));
  const cluster = body.additionalParams?.k8s_cluster_installation_param;
  if (cluster?.vim_name !== undefined) cluster.vim_name += `-${++requests}`;
  for (const vim of Object.values<{ interfaceInfo: { endpoint: string } }>(body.vimConnectionInfo ?? {}))
    vim.interfaceInfo.endpoint = endpoint;
  return body;
}

/** Onboards the sample package. @returns its vnfdId */
export async function onboardSample(
  http: AxiosInstance,
  source = path.join(samples, 'kubernetes-cluster'),
): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-sample-'));
  try {
    const file = path.join(directory, 'sample.zip');
    await packCsar(source, file);
    const created = await http.post('/vnfpkgm/v1/vnf_packages', {});
    const headers = { 'Content-Type': 'application/zip', Accept: 'application/json' };
    const uploaded = await http.put(`/vnfpkgm/v1/vnf_packages/${created.data.id}/package_content`, readFileSync(file), {
      headers,
    });
    if (uploaded.status !== 202) throw new Error(`upload: ${uploaded.status} ${JSON.stringify(uploaded.data)}`);
    return (await http.get(`/vnfpkgm/v1/vnf_packages/${created.data.id}`)).data.vnfdId;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function createInstance(http: AxiosInstance, vnfdId: string): Promise<string> {
  const created = await http.post('/vnflcm/v2/vnf_instances', { vnfdId, vnfInstanceName: 'cluster' });
  if (created.status !== 201) throw new Error(`create: ${created.status} ${JSON.stringify(created.data)}`);
  return created.data.id;
}

/** @returns the path of the operation occurrence */
export function operationOf(answer: AxiosResponse): string {
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.data)}`);
  return new URL(String(answer.headers['location'])).pathname;
}

/**
 * Polls until the operation has ended or waits for an operator.
 * @param options.mayBeBusy the machine is given more work than it can do at once: a 503 is no failure
 * @throws Error when something was executed that `POST …/plan` had not told beforehand
 */
export async function settled(
  http: AxiosInstance,
  operation: string,
  { timeoutMs = 60_000, pollMs = 50, mayBeBusy = false } = {},
) {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const { status, data } = await http.get(operation);
    if (status === 503 && mayBeBusy && Date.now() < until) continue;
    if (status !== 200) throw new Error(`poll: ${status} ${JSON.stringify(data)}`);
    if (FINAL.has(data.operationState)) {
      await checkAgainstPlan(http, operation);
      return data;
    }
    if (Date.now() > until)
      throw new Error(`still ${data.operationState} after ${timeoutMs} ms: ${JSON.stringify(data.error ?? {})}`);
    await delay(pollMs);
  }
}
