import axios, { type AxiosResponse } from 'axios';
import { z } from 'zod';
import type { CancelMode } from './scenario.ts';

export type Control = 'retry' | 'rollback' | 'fail' | 'cancel';
/** Orders that begin an operation. */
export const BEGINNINGS = ['instantiate', 'terminate', 'scale', 'heal'] as const;
export type Beginning = (typeof BEGINNINGS)[number];
export type Order = 'create' | 'delete' | Beginning | Control;
/** Versions of the API. */
export type Version = 'v1' | 'v2';

/** The outcome of a request: an answer, or no answer (connection cut or refused, time-out). */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly code: string; readonly text: string }
  | { readonly kind: 'lost'; readonly text: string };

/** A request that changes something, with its outcome. */
export interface Sent {
  readonly at: string;
  readonly order: Order;
  readonly instance: string;
  /** Id of the operation: of a control its target, of a request that was answered with 202 the new operation. */
  readonly operation?: string;
  /** True when nothing was broken and the state allowed the request: then any refusal but a 503 is wrong. */
  readonly mustSucceed: boolean;
  readonly outcome: Outcome;
}

export const isAccepted = ({ outcome }: Sent): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
/** True when the request may or may not have had its effect. */
export const isUnclear = ({ outcome }: Sent): boolean => outcome.kind === 'lost' || outcome.status >= 500;

const LIMIT_MS = 40_000;
const Problem = z.object({ code: z.string(), detail: z.string() }).partial();
const OperationBody = z.object({
  id: z.string(),
  vnfInstanceId: z.string(),
  operation: z.string(),
  operationState: z.string(),
  isCancelPending: z.boolean(),
  error: Problem.optional(),
});
export type OperationBody = z.infer<typeof OperationBody>;
const Vnfc = z.object({ id: z.string(), vduId: z.string(), computeResource: z.object({ resourceId: z.string() }) });
const InstanceBody = z.object({
  instantiationState: z.enum(['INSTANTIATED', 'NOT_INSTANTIATED']),
  instantiatedVnfInfo: z
    .object({
      vnfcResourceInfo: z.array(Vnfc).default([]),
      vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string().optional() })).default([]),
      scaleStatus: z.array(z.object({ aspectId: z.string(), scaleLevel: z.int() })).default([]),
    })
    .optional(),
});
export type InstanceBody = z.infer<typeof InstanceBody>;
const Events = z.object({ events: z.array(z.object({ type: z.string(), state: z.string(), text: z.string() })) });

export interface Story {
  /** The states of the operation, in the order in which it entered them. */
  readonly states: readonly string[];
  /** How many events of a cancel the timeline has. Such an event carries the state in which the operation was. */
  readonly cancels: number;
}
const CANCEL = /^cancel \(/;

/** A client of the public HTTP API that records every request that changes something. */
export interface Vnfm {
  readonly sent: readonly Sent[];
  onboard(archive: Buffer): Promise<string>;
  create(vnfdId: string): Promise<string>;
  instantiate(instance: string, body: object, mustSucceed?: boolean): Promise<Sent>;
  terminate(instance: string): Promise<Sent>;
  /** Begins an operation. */
  begin(order: Beginning, instance: string, request: { version: Version; body: object }): Promise<Sent>;
  /** Reads an instance. @throws as operations */
  instance(id: string, version?: Version): Promise<InstanceBody>;
  remove(instance: string, mustSucceed: boolean): Promise<Sent>;
  control(control: Control, of: ControlTarget, mustSucceed?: boolean): Promise<Sent>;
  /** Reads all operations. @throws Error when the API does not answer with 200 */
  operations(instances: readonly string[]): Promise<OperationBody[]>;
  /** Reads the timeline of an operation. @throws as operations */
  story(operation: string): Promise<Story>;
  /** Reads an answer as text, for the excerpt. */
  show(path: string): Promise<string>;
}

export interface ControlTarget {
  readonly instance: string;
  readonly operation: string;
  readonly cancelMode?: CancelMode;
  readonly version?: Version;
}

/** Connects to the APIs. @param urls of the APIs; requests are sent to them in turn */
export function connectVnfm(urls: readonly string[], token: () => Promise<string>): Vnfm {
  const sent: Sent[] = [];
  let turn = 0;
  const call = async (method: string, path: string, data?: unknown, headers: Record<string, string> = {}) =>
    axios.request<unknown>({
      method,
      url: `${urls[turn++ % urls.length]}${path}`,
      data,
      headers: { 'X-Auth-Token': await token(), Version: '2.0.0', 'Content-Type': 'application/json', ...headers },
      timeout: LIMIT_MS,
      proxy: false,
      validateStatus: () => true,
    });
  const get = async (path: string): Promise<unknown> => {
    const { status, data } = await call('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(data)}`);
    return data;
  };
  const send = async (
    what: Pick<Sent, 'order' | 'instance' | 'operation' | 'mustSucceed'>,
    { path, method = 'POST', body }: { path: string; method?: string; body?: object },
  ): Promise<Sent> => {
    const at = new Date().toISOString();
    const entry = await call(method, path, body).then(
      (answer) => ({ at, ...what, ...operationOf(answer), outcome: outcomeOf(answer) }),
      (error: unknown) => ({ at, ...what, outcome: { kind: 'lost' as const, text: String(error) } }),
    );
    sent.push(entry);
    return entry;
  };
  const instances = '/vnflcm/v2/vnf_instances';
  return {
    sent,
    onboard: async (archive) => {
      const { id } = z.object({ id: z.string() }).parse((await call('POST', '/vnfpkgm/v1/vnf_packages', {})).data);
      const path = `/vnfpkgm/v1/vnf_packages/${id}`;
      const uploaded = await call('PUT', `${path}/package_content`, archive, { 'Content-Type': 'application/zip' });
      if (uploaded.status !== 202) throw new Error(`the package: ${JSON.stringify(uploaded.data)}`);
      return z.object({ vnfdId: z.string() }).parse(await get(path)).vnfdId;
    },
    create: async (vnfdId) => {
      const { status, data } = await call('POST', instances, { vnfdId, vnfInstanceName: 'faults' });
      if (status !== 201) throw new Error(`create: ${status} ${JSON.stringify(data)}`);
      return z.object({ id: z.string() }).parse(data).id;
    },
    instantiate: (instance, body, mustSucceed = false) =>
      send({ order: 'instantiate', instance, mustSucceed }, { path: `${instances}/${instance}/instantiate`, body }),
    terminate: (instance) =>
      send(
        { order: 'terminate', instance, mustSucceed: true },
        { path: `${instances}/${instance}/terminate`, body: { terminationType: 'FORCEFUL' } },
      ),
    begin: (order, instance, { version, body }) =>
      send(
        { order, instance, mustSucceed: false },
        { path: `/vnflcm/${version}/vnf_instances/${instance}/${order}`, body },
      ),
    instance: async (id, version = 'v2') => InstanceBody.parse(await get(`/vnflcm/${version}/vnf_instances/${id}`)),
    remove: (instance, mustSucceed) =>
      send({ order: 'delete', instance, mustSucceed }, { path: `${instances}/${instance}`, method: 'DELETE' }),
    control: (control, { instance, operation, cancelMode, version = 'v2' }, mustSucceed = false) =>
      send(
        { order: control, instance, operation, mustSucceed },
        {
          path: `/vnflcm/${version}/vnf_lcm_op_occs/${operation}/${control}`,
          ...(cancelMode ? { body: { cancelMode } } : {}),
        },
      ),
    operations: async (wanted) => {
      if (wanted.length === 0) return [];
      const filter = encodeURIComponent(`(in,vnfInstanceId,${wanted.join(',')})`);
      return z.array(OperationBody).parse(await get(`/vnflcm/v2/vnf_lcm_op_occs?all_fields&filter=${filter}`));
    },
    story: async (operation) => {
      const { events } = Events.parse(await get(`/vnflow/v1/vnf_lcm_op_occs/${operation}/events`));
      const told = events.filter(({ type }) => type === 'operation');
      return {
        states: told.filter(({ text }) => !CANCEL.test(text)).map(({ state }) => state),
        cancels: told.filter(({ text }) => CANCEL.test(text)).length,
      };
    },
    show: async (path) =>
      call('GET', path).then(
        ({ status, data }) => `${status} ${JSON.stringify(data, undefined, 1)}`,
        (error: unknown) => String(error),
      ),
  };
}

function outcomeOf({ status, data }: AxiosResponse<unknown>): Outcome {
  const problem = Problem.safeParse(data);
  const { code = '', detail = '' } = problem.success ? problem.data : {};
  return { kind: 'answered', status, code, text: detail };
}

function operationOf({ status, headers }: AxiosResponse<unknown>): { operation?: string } {
  const id = String(headers['location'] ?? '')
    .split('/')
    .at(-1);
  return status === 202 && id ? { operation: id } : {};
}
