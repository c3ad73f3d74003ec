import type { UpRecord } from '../up/up-record.ts';
import type { DemoContext } from './demo-context.ts';
import { runOperation, showCreation, showPlan } from './lifecycle.ts';
import { lookAtNode, showNode } from './look.ts';
import { print, step } from './narration.ts';
import { nodeLogin, sampleRequest, vimNameOf } from './sample.ts';

const CILIUM = 'sudo KUBECONFIG=/etc/kubernetes/admin.conf cilium status';

/**
 * Shows how a cluster is made, step by step: onboard, create, plan, instantiate, look at it.
 * @returns the id of the VNF instance
 * @throws CliFailure or Refused that names the failed step
 */
export async function showInstantiation(context: DemoContext): Promise<string> {
  const { vnfm, record, simulator } = context;
  const vnfInstanceId = await showCreation(context);

  const request = await sampleRequest('instantiate-simple', { authUrl: simulator.authUrl, vnfInstanceId });
  step('Plan', 'what instantiating it would do; nothing is done yet');
  await showPlan(vnfm, vnfInstanceId, { operation: 'INSTANTIATE', request });

  step('Instantiate', `the guide's request, samples/requests/instantiate-simple.json; ${simulator.speed} × real time`);
  const timeline = await runOperation(vnfm, vnfInstanceId, { task: 'instantiate', body: request });

  step('Look', `the cluster, over SSH through the bastion`);
  const host = showNode(timeline, 'initControlPlane').address;
  const login = nodeLogin(request);
  await lookAtNode(context, { host, login });
  await lookAtNode(context, { host, login, command: CILIUM });
  step('See for yourself', 'the cluster is a VIM now, and each operation is a Temporal workflow');
  print(`VIM ${vimNameOf(request)}: GET ${vnfm.url}/v1.0/vims`);
  print(`Temporal UI: ${workflowUrl(record, vnfInstanceId)}`);
  return vnfInstanceId;
}

/** The address of the workflow of an instance in the Temporal UI. */
function workflowUrl({ temporal }: UpRecord, vnfInstanceId: string): string {
  const base = temporal?.uiUrl ?? `Temporal at ${temporal?.address}`;
  return `${base}/namespaces/default/workflows/${encodeURIComponent(`vnf/${vnfInstanceId}`)}`;
}
