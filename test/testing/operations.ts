import type { AxiosInstance } from 'axios';
import { expect } from 'vitest';
import { createInstance, guideRequest, onboardSample, operationOf, type System, settled } from './system.ts';

/** Starts an operation that the API must accept, such as `heal`. @returns the path of the operation */
export async function beginOperation(http: AxiosInstance, id: string, task: string, body: object): Promise<string> {
  return operationOf(await http.post(`/vnflcm/v2/vnf_instances/${id}/${task}`, body));
}

interface OperationRequest {
  readonly id: string;
  /** Last part of the operation's path, for example `heal`. */
  readonly task: string;
  readonly body: object;
  readonly timeoutMs?: number;
}

/** Runs an operation that must end in COMPLETED without an error. @returns the operation as it is then */
export async function completeOperation(http: AxiosInstance, { id, task, body, timeoutMs }: OperationRequest) {
  const operation = await beginOperation(http, id, task, body);
  const ended = await settled(http, operation, timeoutMs === undefined ? {} : { timeoutMs });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  return ended;
}

interface ClusterRequest {
  /** The VNFD of an onboarded package. Undefined: the sample package is onboarded first. */
  readonly vnfdId?: string;
  /** Name of the guide's request: one control-plane node, or three behind a load balancer. Default `simple`. */
  readonly flavour?: 'simple' | 'complex';
  /** Values for parameters of the install script. */
  readonly installParameters?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/**
 * Creates a VNF instance and instantiates it by the guide's request; that must complete.
 * @returns id of the instance
 */
export async function instantiateCluster(
  { http, simulator }: Pick<System, 'http' | 'simulator'>,
  { vnfdId, flavour = 'simple', installParameters, timeoutMs }: ClusterRequest = {},
): Promise<string> {
  const id = await createInstance(http, vnfdId ?? (await onboardSample(http)));
  const body = guideRequest(`instantiate-${flavour}.json`, simulator.authUrl);
  if (installParameters) body.additionalParams.k8s_cluster_installation_param.install_parameters = installParameters;
  await completeOperation(http, { id, task: 'instantiate', body, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  return id;
}
