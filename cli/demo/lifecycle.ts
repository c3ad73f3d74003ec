import path from 'node:path';
import { packCsar } from '../../packages/pack.ts';
import { planLines } from '../operations/plan-text.ts';
import { watchForm, watchOperation } from '../operations/watch.ts';
import type { Vnfm } from '../vnfm/client.ts';
import type { Timeline } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { type PlanRequest, planOf } from '../vnfm/operations.ts';
import {
  createVnfInstance,
  deleteVnfInstance,
  findVnfPackage,
  type LcmRequest,
  onboardVnfPackage,
  startOperation,
} from '../vnfm/vnf-lifecycle.ts';
import type { DemoContext } from './demo-context.ts';
import { print, step } from './narration.ts';
import { CLUSTER_SAMPLE, type Sample, sampleFolder, TERMINATE_REQUEST } from './sample.ts';
import { leftInCloud } from './simulated-cloud.ts';

/** Steps that the scenarios of the demo share. All throw CliFailure or Refused that says what failed. */

/** Creates a VNF instance of a sample package. @returns its id */
export async function showCreation(context: DemoContext, sample: Sample = CLUSTER_SAMPLE): Promise<string> {
  const { vnfm } = context;
  await onboard(context, sample);
  step('Create a VNF instance', `POST ${vnfm.url}/vnflcm/v2/vnf_instances`);
  const vnfInstanceId = await createVnfInstance(vnfm, { vnfdId: sample.vnfdId, vnfInstanceName: 'demo' });
  print(`VNF instance ${vnfInstanceId}`);
  return vnfInstanceId;
}

/** Prints the plan of an operation, without the commands on the nodes. */
export async function showPlan(vnfm: Vnfm, vnfInstanceId: string, request: PlanRequest): Promise<void> {
  const plan = await planOf(vnfm, vnfInstanceId, { ...request, live: true });
  print(...planLines({ ...plan, steps: plan.steps.map((planned) => ({ ...planned, commands: [] })) }));
}

/** Starts an operation and follows it until it ends or waits for a decision. */
export async function follow(vnfm: Vnfm, vnfInstanceId: string, request: LcmRequest): Promise<Timeline> {
  return watchOperation(vnfm, await startOperation(vnfm, vnfInstanceId, request), watchForm(false));
}

/** Runs an operation that must end in COMPLETED. @throws CliFailure when it ends otherwise */
export async function runOperation(vnfm: Vnfm, vnfInstanceId: string, request: LcmRequest): Promise<Timeline> {
  return requireCompleted(await follow(vnfm, vnfInstanceId, request));
}

export function requireCompleted(timeline: Timeline): Timeline {
  if (timeline.operationState === 'COMPLETED') return timeline;
  const { id, operation, operationState } = timeline;
  throw new CliFailure(
    `${operation} ended ${operationState}. To go on: \`npx vnflow up\`, then \`npx vnflow watch ${id}\` or \`npx vnflow ops retry ${id}\`.`,
  );
}

export async function showTermination({ vnfm, simulator }: DemoContext, vnfInstanceId: string): Promise<void> {
  step('Terminate', `POST ${vnfm.url}/vnflcm/v2/vnf_instances/${vnfInstanceId}/terminate`);
  await runOperation(vnfm, vnfInstanceId, { task: 'terminate', body: TERMINATE_REQUEST });
  await deleteVnfInstance(vnfm, vnfInstanceId);
  const left = await leftInCloud(simulator);
  print(`VNF instance ${vnfInstanceId} deleted; the cloud has ${left.stacks} stacks and ${left.servers} servers now.`);
}

async function onboard({ vnfm, data }: DemoContext, sample: Sample): Promise<void> {
  step('Onboard the VNF package', `samples/${sample.name}, packed as a CSAR`);
  const known = await findVnfPackage(vnfm, sample.vnfdId);
  if (known !== undefined) return print(`VNF package ${known} is onboarded already`);
  const file = path.join(data, `${sample.name}.zip`);
  await packCsar(sampleFolder(sample), file);
  print(`VNF package ${await onboardVnfPackage(vnfm, file)} onboarded`);
}
