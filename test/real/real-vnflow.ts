import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packCsar } from '../../packages/pack.ts';
import type { RealCloud, RealEnvironment } from './real-cloud.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../samples/kubernetes-cluster', import.meta.url));
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 60_000;
const BUSY_LIMIT_MS = 120_000;
/** On a real cloud a cluster of five nodes took a quarter of an hour. */
const OPERATION_LIMIT_MS = 90 * 60_000;

const Vnfcs = z.object({
  instantiatedVnfInfo: z
    .object({
      vnfcResourceInfo: z
        .array(z.object({ id: z.string(), vduId: z.string(), computeResource: z.object({ resourceId: z.string() }) }))
        .default([]),
      vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string() })).default([]),
    })
    .optional(),
});
const Operation = z.object({
  operationState: z.string(),
  error: z.object({ code: z.string().optional(), detail: z.string().optional() }).optional(),
});
export type OperationResult = z.infer<typeof Operation>;

export interface RealServer {
  /** Id of the VNFC, as a heal names it. */
  readonly vnfc: string;
  /** Id of the server in Nova. */
  readonly id: string;
  readonly vduId: string;
}

/** vnflow in a process of its own, against the OpenStack of the environment, and its public API. */
export interface RealVnflow {
  /** Folder of logs and data. */
  readonly data: string;
  onboard(): Promise<string>;
  create(vnfdId: string): Promise<string>;
  /** Begins an operation. @returns its id @throws Error when it is not accepted */
  begin(instance: string, task: string, body: object): Promise<string>;
  /** Waits until an operation has ended or waits for a decision. */
  settled(operation: string): Promise<OperationResult>;
  control(operation: string, control: 'retry' | 'rollback' | 'fail'): Promise<void>;
  servers(instance: string): Promise<RealServer[]>;
  remove(instance: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts vnflow without the simulator. @throws Error when it does not start */
export async function startRealVnflow(env: RealEnvironment, cloud: RealCloud): Promise<RealVnflow> {
  const data = mkdtempSync(path.join(tmpdir(), 'vnflow-real-'));
  const log = openSync(path.join(data, 'up.log'), 'a', 0o600);
  const args = ['--disable-warning=ExperimentalWarning', MAIN, 'up', '--no-simulator', '--data', data, '--port', '0'];
  const keystone = { VNFLOW_KEYSTONE_URL: env.OS_AUTH_URL };
  const up = spawn(process.execPath, args, { env: { ...process.env, ...keystone }, stdio: ['ignore', log, log] });
  closeSync(log);
  const url = await ready(up, data).catch(async (error: unknown) => {
    await end(up);
    throw error;
  });
  const call = async (method: string, where: string, body?: object | Buffer) => {
    const isArchive = Buffer.isBuffer(body);
    const answer = await fetch(`${url}${where}`, {
      method,
      headers: {
        'X-Auth-Token': await cloud.token(),
        Version: '2.0.0',
        'Content-Type': isArchive ? 'application/zip' : 'application/json',
      },
      ...(body === undefined ? {} : { body: isArchive ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return { location: answer.headers.get('location') ?? '', data: text === '' ? {} : (JSON.parse(text) as unknown) };
  };
  const instances = '/vnflcm/v2/vnf_instances';
  const Created = z.object({ id: z.string() });
  return {
    data,
    onboard: async () => {
      const file = path.join(data, 'package.zip');
      await packCsar(env.VNFLOW_TEST_PACKAGE ?? SAMPLE, file);
      const { id } = Created.parse((await call('POST', '/vnfpkgm/v1/vnf_packages', {})).data);
      await call('PUT', `/vnfpkgm/v1/vnf_packages/${id}/package_content`, readFileSync(file));
      return z.object({ vnfdId: z.string() }).parse((await call('GET', `/vnfpkgm/v1/vnf_packages/${id}`)).data).vnfdId;
    },
    create: async (vnfdId) =>
      Created.parse((await call('POST', instances, { vnfdId, vnfInstanceName: 'test:real' })).data).id,
    begin: async (instance, task, body) => {
      const { location } = await patiently(() => call('POST', `${instances}/${instance}/${task}`, body));
      return location.split('/').at(-1) ?? '';
    },
    settled: async (operation) => {
      const end = Date.now() + OPERATION_LIMIT_MS;
      for (;;) {
        const { data: shown } = await patiently(() => call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${operation}`));
        const seen = Operation.parse(shown);
        if (['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'].includes(seen.operationState)) return seen;
        if (Date.now() > end) throw new Error(`operation ${operation} is still ${seen.operationState}`);
        await delay(1_000);
      }
    },
    control: async (operation, control) =>
      void (await call('POST', `/vnflcm/v2/vnf_lcm_op_occs/${operation}/${control}`)),
    servers: async (instance) => {
      const { instantiatedVnfInfo: info } = Vnfcs.parse((await call('GET', `${instances}/${instance}`)).data);
      return (info?.vnfcResourceInfo ?? []).map(({ id, vduId, computeResource }) => ({
        vnfc: info?.vnfcInfo.find((vnfc) => vnfc.vnfcResourceInfoId === id)?.id ?? id,
        id: computeResource.resourceId,
        vduId,
      }));
    },
    remove: async (instance) => void (await call('DELETE', `${instances}/${instance}`)),
    stop: () => end(up),
  };
}

/** Repeats a request that is answered with 503, as that answer asks for. */
async function patiently<T>(request: () => Promise<T>): Promise<T> {
  const end = Date.now() + BUSY_LIMIT_MS;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!/: 503 /.test(String(error)) || Date.now() > end) throw error;
      await delay(2_000);
    }
  }
}

async function ready(up: ChildProcess, data: string): Promise<string> {
  const limit = Date.now() + START_LIMIT_MS;
  const Record = z.object({ apiUrl: z.url(), process: z.object({ pid: z.int() }) });
  for (;;) {
    try {
      const { apiUrl, process: own } = Record.parse(JSON.parse(readFileSync(path.join(data, 'up.json'), 'utf8')));
      if (own.pid === up.pid && (await fetch(`${apiUrl}/vnflow/v1/health`)).ok) return apiUrl;
    } catch {
      // not yet
    }
    if (up.exitCode !== null || Date.now() > limit) throw new Error(`vnflow did not start: see ${data}/up.log`);
    await delay(200);
  }
}

async function end(up: ChildProcess): Promise<void> {
  up.kill('SIGTERM');
  const limit = Date.now() + STOP_LIMIT_MS;
  while (up.exitCode === null && up.signalCode === null) {
    if (Date.now() > limit) up.kill('SIGKILL');
    await delay(200);
  }
}
