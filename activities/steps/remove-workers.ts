import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { cordon, drainTimeoutOf, leaveCluster } from '../node/leave-cluster.ts';
import type { StepContext } from '../step-context.ts';

/** Evictions of one node must not starve those of another. */
const NODES_AT_ONCE = 10;

/**
 * Takes workers out of the cluster: cordon, drain through the eviction API (disruption budgets respected), delete the node.
 * One session to a control-plane node, whatever the number of workers; none to the workers.
 */
export async function removeWorkers(step: StepContext): Promise<undefined> {
  const { deps, input } = step;
  const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.slots ?? []);
  const victims = nodes.map(({ nodeName }) => nodeName);
  const timeoutSeconds = await drainTimeoutOf(deps, input);
  await onControlPlane(deps, input, { beat: step }, async ({ session }) => {
    for (const name of victims) await cordon(session, step, name);
    for (let at = 0; at < victims.length; at += NODES_AT_ONCE) {
      await Promise.all(
        victims
          .slice(at, at + NODES_AT_ONCE)
          .map((name) => leaveCluster(deps, session, { name, timeoutSeconds, beat: step })),
      );
    }
  });
}
