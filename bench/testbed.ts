import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import axios, { type AxiosInstance } from 'axios';
import { z } from 'zod';
import type { LedgerEntry } from '../simulator/index.ts';
import { asV1 } from '../test/testing/api/v1-request.ts';
import {
  clientOf,
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  settled,
  tokenOf,
} from '../test/testing/system.ts';
import { BUNDLES, quiet, startTestTemporal } from '../test/testing/temporal.ts';
import { readConfiguration } from '../worker/configuration.ts';
import { startVnflow } from '../worker/start-vnflow.ts';
import { CONTROL_PLANE, type FlavourId, LARGE_LEVEL, writeLargePackage } from './large-package.ts';

const SIMULATOR = fileURLToPath(new URL('../simulator/main.ts', import.meta.url));
/** Address ranges for more than 2,000 nodes. */
const NETWORKS = ['--network-cidr', '10.10.0.0/20', '--public-cidr', '172.24.0.0/20'];
const LIMIT_MS = 3_600_000;

const Ready = z.object({
  authUrl: z.string(),
  url: z.string(),
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }),
});

/** A running vnflow with its simulated cloud. */
export interface Place {
  readonly http: AxiosInstance;
  readonly authUrl: string;
  readonly speed: number;
  /** The ledger of the simulated cloud after that entry. */
  ledger(after?: number): Promise<readonly LedgerEntry[]>;
}

export interface Testbed extends Place {
  /** Size of the history of the newest operation of an instance. */
  history(vnfInstanceId: string): Promise<{ readonly events: number; readonly bytes: number }>;
  /** Memory and processor time of the processes so far. */
  usage(): Readonly<Record<'vnflow' | 'simulator' | 'temporal', Usage>>;
  stop(): Promise<void>;
}

export interface Usage {
  /** Largest resident memory, in MB. */
  readonly memory: number;
  /** Seconds of processor time. */
  readonly processor: number;
}

/**
 * Starts vnflow as `vnflow up` does: API, worker and store in this process, the Temporal server and the simulator in
 * others.
 */
export async function startTestbed({ speed, hosts }: { speed: number; hosts: number }): Promise<Testbed> {
  const data = mkdtempSync(path.join(tmpdir(), 'vnflow-bench-'));
  const [temporal, simulator] = await Promise.all([startTestTemporal(), startSimulatorProcess(speed, hosts)]);
  const { bastion, authUrl, url } = simulator.ready;
  const environment = {
    VNFLOW_KEYSTONE_URL: authUrl,
    VNFLOW_BASTION: `${bastion.user}@${bastion.host}:${bastion.port}`,
  };
  const vnflow = await startVnflow({
    configuration: readConfiguration(environment, data),
    temporalAddress: temporal.address,
    log: quiet,
    api: { host: '127.0.0.1', port: 0 },
    worker: { bundleCache: BUNDLES },
    speed,
  });
  await vnflow.ready;
  const connection = await Connection.connect({ address: temporal.address });
  const engine = new Client({ connection });
  return {
    http: clientOf(vnflow.apiUrl ?? '', await tokenOf(authUrl)),
    authUrl,
    speed,
    ledger: async (after = 0) =>
      (await axios.get(`${url}/_simulator/ledger?after=${after}`, { proxy: false, maxContentLength: Infinity })).data
        .entries,
    history: async (vnfInstanceId) => {
      const { historyLength, historySize } = await engine.workflow.getHandle(`vnf/${vnfInstanceId}`).describe();
      return { events: historyLength, bytes: Number(historySize ?? 0) };
    },
    usage: () => ({
      vnflow: usageOf(process.pid),
      simulator: usageOf(simulator.child.pid ?? 0),
      temporal: usageOf(temporal.pid),
    }),
    stop: async () => {
      await vnflow.stop();
      await connection.close();
      simulator.child.kill('SIGTERM');
      await once(simulator.child, 'exit');
      await temporal.stop();
      rmSync(data, { recursive: true });
    },
  };
}

async function startSimulatorProcess(speed: number, hosts: number) {
  const args = [SIMULATOR, ...NETWORKS, '--speed', `${speed}`, '--hosts', `${hosts}`];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...nodeOptions(), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, ready: await firstLine(child) };
}

/**
 * Options of Node.js for the simulator: room for young objects, because it plays 500 machines, and what
 * `VNFLOW_BENCH_NODE_OPTIONS` says, for example `--cpu-prof`.
 */
function nodeOptions(): string[] {
  const more = (process.env['VNFLOW_BENCH_NODE_OPTIONS'] ?? '').split(' ');
  return ['--max-semi-space-size=64', ...more.filter((option) => option !== '')];
}

async function firstLine(child: ChildProcess): Promise<z.infer<typeof Ready>> {
  if (!child.stdout) throw new Error('the simulator has no standard output');
  for await (const line of createInterface(child.stdout)) return Ready.parse(JSON.parse(line));
  throw new Error('the simulator ended before it was ready');
}

const TICKS_PER_SECOND = 100;

/** Reads the usage of a process from /proc of Linux. */
function usageOf(pid: number): Usage {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return {
    memory: Math.round(Number(kilobytes) / 1000),
    processor: (Number(user) + Number(system)) / TICKS_PER_SECOND,
  };
}

export interface LargeCluster {
  readonly vnfInstanceId: string;
  instantiate(): Promise<Finished>;
  /** Heals the last node of a VDU. */
  heal(vduId: 'masterNode' | 'workerNode'): Promise<Finished>;
  scale(type: 'SCALE_OUT' | 'SCALE_IN', numberOfSteps: number): Promise<Finished>;
}

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcResourceInfoId: string;
}

/** An operation that has completed. */
export interface Finished {
  readonly opOccId: string;
  /** Simulated seconds from the request until the operation was seen COMPLETED. */
  readonly seconds: number;
}

/** A version of the API, which leads to the one engine. */
export type ApiVersion = 'v1' | 'v2';

/** How an operation is measured. */
export interface Measured {
  /** Simulated seconds per real second; 1 is real time. */
  readonly speed: number;
  readonly version: ApiVersion;
}

interface ClusterOptions {
  readonly flavour?: FlavourId;
  /** The version of the API that its operations go through. */
  readonly version?: ApiVersion;
}

/** Makes a VNF instance with that many nodes, which can be scaled out by as many more. */
export async function largeCluster(
  { http, authUrl, speed }: Place,
  nodes: number,
  { flavour = 'simple', version = 'v2' }: ClusterOptions = {},
): Promise<LargeCluster> {
  const source = writeLargePackage(flavour, nodes - CONTROL_PLANE[flavour], 2 * nodes + 200);
  const vnfdId = await onboardSample(http, source).finally(() => rmSync(source, { recursive: true }));
  const id = await createInstance(http, vnfdId);
  const run = async (task: string, body: object): Promise<Finished> => {
    const began = Date.now();
    const operation = operationOf(await http.post(`/vnflcm/${version}/vnf_instances/${id}/${task}`, body));
    const ended = await settled(http, operation, {
      timeoutMs: LIMIT_MS,
      pollMs: 250 / Math.sqrt(speed),
      mayBeBusy: true,
    });
    const seconds = ((Date.now() - began) / 1000) * speed;
    if (ended.operationState !== 'COMPLETED')
      throw new Error(`${task} ended ${ended.operationState}: ${JSON.stringify(ended.error)}`);
    return { opOccId: ended.id, seconds };
  };
  return {
    vnfInstanceId: id,
    instantiate: () => {
      const request = {
        ...guideRequest(`instantiate-${flavour}.json`, authUrl),
        instantiationLevelId: LARGE_LEVEL,
      };
      return run('instantiate', version === 'v1' ? asV1(request) : request);
    },
    heal: async (vduId) => {
      const { data } = await http.get(`/vnflcm/v2/vnf_instances/${id}`);
      const found: Vnfc[] = data.instantiatedVnfInfo.vnfcInfo;
      const victim = found.filter((vnfc) => vnfc.vduId === vduId).at(-1);
      return run('heal', { vnfcInstanceId: [version === 'v1' ? victim?.vnfcResourceInfoId : victim?.id] });
    },
    scale: (type, steps) =>
      run('scale', { type, aspectId: 'workerNode_scale', numberOfSteps: version === 'v1' ? `${steps}` : steps }),
  };
}
