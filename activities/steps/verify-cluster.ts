import { listClusterNodes } from '../../store/cluster-nodes.ts';
import { onNode } from '../node/node-session.ts';
import { waitForNodes } from '../node/ready-nodes.ts';
import type { StepContextOf } from '../step-context.ts';

/** Waits until every node of the cluster is Ready. */
export async function verifyCluster(step: StepContextOf<'verifyCluster'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(step, {}, async (node) => {
    const expected = (await listClusterNodes(deps.db, input.vnfInstanceId)).map(({ nodeName }) => nodeName);
    await waitForNodes(node, expected);
  });
}
