import { setTimeout as delay } from 'node:timers/promises';
import { watchForm, watchOperation } from '../operations/watch.ts';
import type { Timeline, VnfcResource } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { controlOpOcc, eventsOf } from '../vnfm/operations.ts';
import { vnfcsOf } from '../vnfm/vnf-lifecycle.ts';
import type { DemoContext } from './demo-context.ts';
import { follow, requireCompleted, runOperation, showCreation, showPlan, showTermination } from './lifecycle.ts';
import { lookAtNode, runOnClusterNode, showNode } from './look.ts';
import { print, step } from './narration.ts';
import { type NodeLogin, nodeLogin, sampleRequest } from './sample.ts';
import { breakCommand, powerOff } from './simulated-cloud.ts';

/** The first control-plane node, which as a rule holds the virtual IP. */
const VICTIM = 'masterNode[0]';
const SURVIVOR = 'masterNode[1]';
/** Kubernetes calls a silent node NotReady after 40 s; some more for the virtual IP to move. */
const NOTICED_WITHIN_SECONDS = 180;
const SCALE_OUT = { type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 1 };
const SCALE_IN = { ...SCALE_OUT, type: 'SCALE_IN' };
/** The error of a node when a proxy shows it another certificate. It is permanent, so the step fails at once. */
const NO_JOIN = {
  commandPrefix: 'kubeadm join',
  exitCode: 1,
  stderr:
    'error execution phase preflight: couldn\'t validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:f1d2" are pinned',
};

/** A control-plane node that answers questions about the cluster while the first one is down. */
interface Survivor {
  readonly host: string;
  readonly login: NodeLogin;
}

/**
 * Shows a highly available cluster and its failures: a control-plane node dies and is healed, a step fails and is
 * retried.
 * @throws CliFailure or Refused that names the failed step
 */
export async function showHighAvailability(context: DemoContext): Promise<void> {
  const { vnfm, simulator } = context;
  const vnfInstanceId = await showCreation(context);
  const request = await sampleRequest('instantiate-complex', { authUrl: simulator.authUrl, vnfInstanceId });

  step('Plan', 'three control-plane nodes behind a virtual IP, two workers; only etcd membership is one by one');
  await showPlan(vnfm, vnfInstanceId, { operation: 'INSTANTIATE', request });
  step('Instantiate', `the guide's request, samples/requests/instantiate-complex.json; ${simulator.speed} × real time`);
  const instantiated = await runOperation(vnfm, vnfInstanceId, { task: 'instantiate', body: request });
  const survivor = { host: showNode(instantiated, 'prepareNode', SURVIVOR).address, login: nodeLogin(request) };
  await lookAtNode(context, survivor);

  const victim = controlPlaneVnfc(await vnfcsOf(vnfm, vnfInstanceId));
  await showDeath(context, { victim, name: showNode(instantiated, 'prepareNode', VICTIM).name, survivor });
  await showHeal(context, vnfInstanceId, { victim, survivor });
  await showRetry(context, vnfInstanceId);
  await lookAtNode(context, survivor);

  step('Scale in', 'the newest worker is drained through the eviction API, leaves the cluster, and then the stack');
  await runOperation(vnfm, vnfInstanceId, { task: 'scale', body: SCALE_IN });
  await showTermination(context, vnfInstanceId);
}

/** Finds the first control-plane node by its index in the VDU, because the list is sorted by age. */
function controlPlaneVnfc(vnfcs: readonly VnfcResource[]): VnfcResource {
  const found = vnfcs.find(({ vduId, metadata }) => vduId === 'masterNode' && metadata?.vdu_idx === 0);
  if (!found) throw new CliFailure('The VNF instance does not show which server is its first control-plane node.');
  return found;
}

async function showDeath(
  context: DemoContext,
  { victim, name, survivor }: { victim: VnfcResource; name: string; survivor: Survivor },
): Promise<void> {
  step('Pull the plug', `${name}, a control-plane node with a third of etcd; the virtual IP moves to another one`);
  await powerOff(context.simulator, victim.computeResource.resourceId);
  const until = Date.now() + (NOTICED_WITHIN_SECONDS * 1000) / context.simulator.speed + 5_000;
  while (Date.now() < until) {
    const nodes = await runOnClusterNode(context, survivor).catch(() => '');
    if (nodes.split('\n').some((line) => line.startsWith(`${name} `) && line.includes('NotReady'))) break;
    await delay(300);
  }
  await lookAtNode(context, survivor);
}

async function showHeal(
  context: DemoContext,
  vnfInstanceId: string,
  { victim, survivor }: { victim: VnfcResource; survivor: Survivor },
): Promise<void> {
  const { vnfm } = context;
  const request = { vnfcInstanceId: [`${victim.vduId}-${victim.id}`] };
  step('Plan the heal', 'quorum is proved first; nodes that are not named here are not touched');
  await showPlan(vnfm, vnfInstanceId, { operation: 'HEAL', request });
  step('Heal', 'the dead member leaves etcd before its server is replaced; every load balancer is updated');
  await runOperation(vnfm, vnfInstanceId, { task: 'heal', body: request });
  await lookAtNode(context, survivor);
}

async function showRetry({ vnfm, simulator }: DemoContext, vnfInstanceId: string): Promise<void> {
  step('Break a step', 'scale out, while a proxy shows new nodes another certificate: the operation stops, and waits');
  const mend = await breakCommand(simulator, NO_JOIN);
  const failed = await follow(vnfm, vnfInstanceId, { task: 'scale', body: SCALE_OUT }).finally(mend);
  if (failed.operationState !== 'FAILED_TEMP') throw new CliFailure('The broken step did not stop the scale out.');
  step('Retry', `what broke is mended; \`vnflow ops retry ${failed.id}\` goes on at the step that failed`);
  const { next } = await eventsOf(vnfm, failed.id, { after: 0, wait: 0 });
  await controlOpOcc(vnfm, failed.id, 'retry');
  const retried = requireCompleted(await watchOperation(vnfm, failed.id, watchForm(false), next));
  print(`Steps that ran a second time: ${repeatedSteps(failed, retried).join(', ')}. The others were done already.`);
}

/** Steps with more attempts after the retry than before it. */
function repeatedSteps(before: Timeline, after: Timeline): string[] {
  return after.steps
    .filter(({ id, attempt }) => attempt > (before.steps.find((earlier) => earlier.id === id)?.attempt ?? 0))
    .filter(({ id }) => before.steps.some((earlier) => earlier.id === id && earlier.state !== 'WAITING'))
    .map(({ summary }) => summary);
}
