import type { Operation } from '../../domain/operations.ts';
import type { Vnfm } from './client.ts';
import { Events, OpOccs, Plan, RegistryCa, StepLog, Timeline, TimelineStep } from './contract.ts';

/** Operation occurrences, as the CLI uses them. All throw Refused or CliFailure. */

export async function timelineOf(vnfm: Vnfm, opOccId: string): Promise<Timeline> {
  return (await vnfm.request({ method: 'GET', path: `${ownPath(opOccId)}/timeline` })).read(Timeline);
}

/** Reads the events after the number `after`. Waits up to `wait` seconds for the first one. */
export async function eventsOf(vnfm: Vnfm, opOccId: string, { after, wait }: { after: number; wait: number }) {
  return (await vnfm.request({ method: 'GET', path: `${ownPath(opOccId)}/events`, params: { after, wait } })).read(
    Events,
  );
}

/** Reads a part of a step's log: after the piece `after`, of the newest attempt if none is named. */
export async function stepLogOf(
  vnfm: Vnfm,
  { opOccId, stepId }: { readonly opOccId: string; readonly stepId: string },
  params: { readonly after: number; readonly wait: number; readonly attempt?: number },
): Promise<StepLog> {
  const path = `${ownPath(opOccId)}/steps/${encodeURIComponent(stepId)}/log`;
  return (await vnfm.request({ method: 'GET', path, params })).read(StepLog);
}

/** Lists operations. @param vnfInstanceId only of this instance; undefined: of all instances */
export async function listOpOccs(vnfm: Vnfm, vnfInstanceId?: string) {
  const params = vnfInstanceId === undefined ? {} : { filter: `(eq,vnfInstanceId,${vnfInstanceId})` };
  return (await vnfm.request({ method: 'GET', path: '/vnflcm/v2/vnf_lcm_op_occs', params })).read(OpOccs);
}

/** The controls of an operation as a whole. */
export type OpOccControl = 'retry' | 'rollback' | 'fail' | { readonly cancelMode: 'GRACEFUL' | 'FORCEFUL' };

export async function controlOpOcc(vnfm: Vnfm, opOccId: string, control: OpOccControl): Promise<void> {
  const name = typeof control === 'string' ? control : 'cancel';
  await vnfm.request({
    method: 'POST',
    path: `/vnflcm/v2/vnf_lcm_op_occs/${encodeURIComponent(opOccId)}/${name}`,
    ...(typeof control === 'string' ? {} : { body: control }),
  });
}

/** The controls of one step; `reason` skips the step. */
export type StepControl = 'retry' | 'pause' | 'resume' | { readonly reason: string };

/** Sends a control of a step. @returns the step after it */
export async function controlStep(
  vnfm: Vnfm,
  { opOccId, stepId }: { opOccId: string; stepId: string },
  control: StepControl,
): Promise<TimelineStep> {
  const name = typeof control === 'string' ? control : 'skip';
  const answer = await vnfm.request({
    method: 'POST',
    path: `${ownPath(opOccId)}/steps/${encodeURIComponent(stepId)}/${name}`,
    ...(typeof control === 'string' ? {} : { body: control }),
  });
  return answer.read(TimelineStep);
}

/** An operation and its request body, for a plan. */
export interface PlanRequest {
  readonly operation: Operation;
  readonly request: unknown;
  /** True: the plan includes the state of the running cluster. */
  readonly live?: boolean;
  /** True: the plan includes the Heat templates. */
  readonly template?: boolean;
}

export async function planOf(vnfm: Vnfm, vnfInstanceId: string, body: PlanRequest): Promise<Plan> {
  const path = `/vnflow/v1/vnf_instances/${encodeURIComponent(vnfInstanceId)}/plan`;
  return (await vnfm.request({ method: 'POST', path, body })).read(Plan);
}

/** Reads the plan of instantiate for a VNFD without a VNF instance. */
export async function planOfVnfd(
  vnfm: Vnfm,
  vnfdId: string,
  { request, template }: Pick<PlanRequest, 'request' | 'template'>,
): Promise<Plan> {
  const body = { vnfdId, operation: 'INSTANTIATE', request, template };
  return (await vnfm.request({ method: 'POST', path: '/vnflow/v1/plan', body })).read(Plan);
}

/** Reads the certificate of the CA of a private registry. */
export async function registryCaOf(vnfm: Vnfm, vnfInstanceId: string): Promise<RegistryCa> {
  const path = `/vnflow/v1/vnf_instances/${encodeURIComponent(vnfInstanceId)}/registry/ca`;
  return (await vnfm.request({ method: 'GET', path })).read(RegistryCa);
}

/** A credential for the cluster of an instance. */
export interface AccessWanted {
  readonly ttlSeconds?: number;
  readonly role?: string;
}

/** Has the cluster of an instance make a credential that ends by itself. @returns the kubeconfig, in YAML */
export async function kubeconfigOf(vnfm: Vnfm, vnfInstanceId: string, wanted: AccessWanted): Promise<string> {
  const path = `/vnflow/v1/vnf_instances/${encodeURIComponent(vnfInstanceId)}/kubeconfig`;
  return (await vnfm.request({ method: 'POST', path, body: wanted })).text;
}

function ownPath(opOccId: string): string {
  return `/vnflow/v1/vnf_lcm_op_occs/${encodeURIComponent(opOccId)}`;
}
