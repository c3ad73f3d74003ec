import path from 'node:path';
import { styleText } from 'node:util';
import { packCsar } from '../../packages/pack.ts';
import { planLines } from '../operations/plan-text.ts';
import { watchForm, watchOperation } from '../operations/watch.ts';
import type { SimulatorRecord, UpRecord } from '../up/up-record.ts';
import type { Vnfm } from '../vnfm/client.ts';
import type { Timeline } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { planOf } from '../vnfm/operations.ts';
import {
  createVnfInstance,
  deleteVnfInstance,
  findVnfPackage,
  onboardVnfPackage,
  startOperation,
} from '../vnfm/vnf-lifecycle.ts';
import { leftInCloud } from './left-in-cloud.ts';
import { runOnNode } from './run-on-node.ts';
import {
  masterLogin,
  SAMPLE_PACKAGE,
  SAMPLE_VNFD_ID,
  type SampleRequest,
  sampleRequest,
  TERMINATE_REQUEST,
} from './sample.ts';

export interface DemoContext {
  readonly vnfm: Vnfm;
  readonly record: UpRecord;
  readonly simulator: SimulatorRecord;
  /** The data directory. */
  readonly data: string;
}

const KUBECONFIG = '--kubeconfig /etc/kubernetes/admin.conf';
/** As an operator would type them on the control-plane node. */
const LOOKS = [
  `sudo kubectl ${KUBECONFIG} get node -o wide`,
  'sudo KUBECONFIG=/etc/kubernetes/admin.conf cilium status',
];

/**
 * The main job, a step at a time: onboard, create, plan, instantiate, look.
 * @returns the id of the VNF instance
 * @throws CliFailure or Refused saying which step failed
 */
export async function showInstantiation(context: DemoContext): Promise<string> {
  const { vnfm, record, simulator } = context;
  await onboard(context);
  step('Create a VNF instance', `POST ${vnfm.url}/vnflcm/v2/vnf_instances`);
  const vnfInstanceId = await createVnfInstance(vnfm, { vnfdId: SAMPLE_VNFD_ID, vnfInstanceName: 'demo' });
  print(`VNF instance ${vnfInstanceId}`);

  const request = await sampleRequest(simulator.authUrl);
  step('Plan', 'what instantiating it would do; nothing is done yet');
  const plan = await planOf(vnfm, vnfInstanceId, { operation: 'INSTANTIATE', request });
  print(...planLines({ ...plan, steps: plan.steps.map((planned) => ({ ...planned, commands: [] })) }));

  step('Instantiate', `the guide's request, samples/requests/instantiate-simple.json; ${simulator.speed} × real time`);
  const timeline = await runOperation(vnfm, vnfInstanceId, { task: 'instantiate', body: request });

  step('Look', `the cluster, over SSH through the bastion`);
  await lookAtCluster(context, timeline, request);
  step('See for yourself', 'each operation is a Temporal workflow');
  print(`Temporal UI: ${workflowUrl(record, vnfInstanceId)}`);
  return vnfInstanceId;
}

/** @throws CliFailure or Refused saying what failed */
export async function showTermination({ vnfm, simulator }: DemoContext, vnfInstanceId: string): Promise<void> {
  step('Terminate', `POST ${vnfm.url}/vnflcm/v2/vnf_instances/${vnfInstanceId}/terminate`);
  await runOperation(vnfm, vnfInstanceId, { task: 'terminate', body: TERMINATE_REQUEST });
  await deleteVnfInstance(vnfm, vnfInstanceId);
  const left = await leftInCloud(simulator);
  print(`VNF instance ${vnfInstanceId} deleted; the cloud has ${left.stacks} stacks and ${left.servers} servers now.`);
}

/** Where the workflow of an instance's operations is found. */
function workflowUrl({ temporal }: UpRecord, vnfInstanceId: string): string {
  const base = temporal?.uiUrl ?? `Temporal at ${temporal?.address}`;
  return `${base}/namespaces/default/workflows/${encodeURIComponent(`vnf/${vnfInstanceId}`)}`;
}

async function onboard({ vnfm, data }: DemoContext): Promise<void> {
  step('Onboard the VNF package', 'samples/kubernetes-cluster, packed as a CSAR');
  const known = await findVnfPackage(vnfm, SAMPLE_VNFD_ID);
  if (known !== undefined) return print(`VNF package ${known} is onboarded already`);
  const file = path.join(data, 'kubernetes-cluster.zip');
  await packCsar(SAMPLE_PACKAGE, file);
  print(`VNF package ${await onboardVnfPackage(vnfm, file)} onboarded`);
}

async function runOperation(
  vnfm: Vnfm,
  vnfInstanceId: string,
  operation: { task: 'instantiate' | 'terminate'; body: unknown },
): Promise<Timeline> {
  const opOccId = await startOperation(vnfm, vnfInstanceId, operation);
  const timeline = await watchOperation(vnfm, opOccId, watchForm(false));
  if (timeline.operationState === 'COMPLETED') return timeline;
  throw new CliFailure(
    `${operation.task} ended ${timeline.operationState}. It is kept: \`npx vnflow up\`, then \`npx vnflow watch ${opOccId}\` or \`npx vnflow ops retry ${opOccId}\`.`,
  );
}

async function lookAtCluster({ simulator }: DemoContext, timeline: Timeline, request: SampleRequest): Promise<void> {
  const host = timeline.steps.find(({ kind }) => kind === 'initControlPlane')?.node?.address;
  if (!host) throw new CliFailure('The operation does not tell the address of its control-plane node.');
  const { username, password } = masterLogin(request);
  for (const command of LOOKS) {
    const { user, port } = simulator.bastion;
    print(styleText('dim', `$ ssh -J ${user}@127.0.0.1:${port} ${username}@${host} ${command}`));
    print(await runOnNode({ bastion: simulator.bastion, host, username, password }, command));
  }
}

function step(title: string, explanation: string): void {
  process.stdout.write(`\n${styleText('bold', `── ${title}`)}  ${styleText('dim', explanation)}\n`);
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
