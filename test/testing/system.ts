import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import type { Logger } from 'pino';
import { DEFAULT_BACKUPS, type Pace } from '../../activities/dependencies.ts';
import { packCsar } from '../../packages/pack.ts';
import { startSimulator } from '../../simulator/index.ts';
import type { StoreLocation } from '../../store/open-store.ts';
import { composeActivities } from '../../worker/composition.ts';
import type { Configuration } from '../../worker/configuration.ts';
import { startVnflow } from '../../worker/start-vnflow.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { TemporalServer } from '../../worker/temporal-server.ts';
import { checkAnswer } from './api/check-answer.ts';
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
  /** Undefined: the system starts a Temporal server, and ends it. */
  readonly temporal?: TemporalServer;
  readonly log?: Logger;
  readonly pace?: Partial<Pace>;
  /** Milliseconds between two comparisons of the store with Temporal. */
  readonly reconcileEveryMs?: number;
  /** Undefined: the system creates a store, and removes it. */
  readonly store?: StoreLocation;
  /** The key that worker processes share with the API. Undefined: a random one. */
  readonly masterKey?: Buffer;
  /** The largest copy of a private registry that the store keeps. Default 64 MiB. */
  readonly registryCopyLimitBytes?: number;
  /** Whether code of packages may run. */
  readonly allowPackageCode?: boolean;
  /** False: the test starts the workers, in this process or in others. */
  readonly worker?: false;
  /** Undefined: no spans are recorded. */
  readonly traces?: Configuration['traces'];
}

/**
 * Starts all of vnflow against the embedded cloud, in this process, with the composition of production. Only the
 * Temporal server is another process.
 */
export async function startSystem(options: SystemOptions = {}) {
  const { speed = 200, hosts, temporal: given, log = quiet, reconcileEveryMs } = options;
  const [temporal, simulator, store] = await Promise.all([
    given ?? startTestTemporal(),
    startSimulator({ speed, ...(hosts === undefined ? {} : { hosts }) }),
    options.store ?? testStoreLocation(),
  ]);
  const { host, port, user: username } = simulator.bastion;
  const configuration: Configuration = {
    store,
    masterKey: options.masterKey ?? randomBytes(32),
    temporalAddress: temporal.address,
    temporalNamespace: 'default',
    keystoneUrl: simulator.authUrl,
    endpoint: 'http://127.0.0.1:9890',
    packageHosts: {},
    vimHosts: { trusted: ['127.0.0.1'] },
    allowPackageCode: options.allowPackageCode ?? false,
    metricsListen: undefined,
    bootLimitSeconds: undefined,
    build: 'test',
    traces: options.traces,
    bastion: { host, port, username },
    backups: DEFAULT_BACKUPS,
    registryCopyLimitBytes: options.registryCopyLimitBytes ?? 64 * 1024 * 1024,
  };
  const pace = { ...TEST_PACE, ...options.pace };
  const vnflow = await startVnflow({
    configuration,
    temporalAddress: temporal.address,
    log,
    api: { host: '127.0.0.1', port: 0 },
    pace,
    ...(options.worker === false ? {} : { worker: { bundleCache: BUNDLES } }),
    ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
  });
  await vnflow.ready.catch(async (error: unknown) => {
    await vnflow.stop();
    await Promise.all([simulator.stop(), given ? undefined : temporal.stop()]);
    throw error;
  });
  const url = vnflow.apiUrl ?? '';
  bearWitness(url, simulator.ledger);
  return {
    temporal,
    simulator,
    ...vnflow.stored,
    api: { url },
    http: clientOf(url, await tokenOf(simulator.authUrl)),
    /** The guide's request with the endpoint of the simulator and a new `vim_name`. */
    instantiateBody: () => guideRequest('instantiate-simple.json', simulator.authUrl),
    /** Starts a worker in this process, for a system that was started without one. */
    startWorker: () =>
      startWorker(composeActivities(vnflow.stored, { configuration, log, pace }), {
        temporalAddress: temporal.address,
        namespace: configuration.temporalNamespace,
        bundleCache: BUNDLES,
      }),
    stop: async () => {
      const problems = await vnflow.stop();
      await simulator.stop();
      await temporal.stop();
      if (problems.length > 0) throw new Error(`vnflow did not stop cleanly: ${problems.join('; ')}`);
    },
  };
}

/** A client whose every answer must be as the OpenAPI document says. */
export function clientOf(url: string, token: string): AxiosInstance {
  const client = axios.create({
    baseURL: url,
    headers: { 'X-Auth-Token': token, Version: '2.0.0' },
    validateStatus: () => true,
    proxy: false,
  });
  client.interceptors.response.use((answer) => {
    const { config, status, headers, data } = answer;
    checkAnswer({
      method: String(config.method).toUpperCase(),
      path: config.url ?? '',
      status,
      header: (name) => headers[name]?.toString(),
      text: typeof data === 'string' ? data : JSON.stringify(data),
    });
    return answer;
  });
  return askForPlans(client);
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

/**
 * Reads a request of the guide, and replaces the endpoint of the VIM, and `vim_name`, because a name can be used once
 * in a project.
 */
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

/** Reads the Location header of an accepted request. @returns path of the operation */
export function operationOf(answer: AxiosResponse): string {
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.data)}`);
  return new URL(String(answer.headers['location'])).pathname;
}

/**
 * Polls until the operation has ended or waits for an operator.
 * @param options.mayBeBusy true when the test overloads the machine, so that a 503 is no failure
 * @throws Error when something was executed that the answer of `POST …/plan` did not contain
 */
export async function settled(
  http: AxiosInstance,
  operation: string,
  { timeoutMs = 60_000, pollMs = 150, mayBeBusy = false } = {},
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
