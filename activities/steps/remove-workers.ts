import type { StepActivities } from '../../domain/operation/activity-contract.ts';
import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { cordon, drainTimeoutOf, leaveCluster } from '../node/leave-cluster.ts';

/** Evictions of one node must not starve those of another. */
const NODES_AT_ONCE = 10;

/**
 * Takes workers out of the cluster: cordon, drain through the eviction API (disruption budgets respected), delete the node.
 * One session to a control-plane node, whatever the number of workers; none to the workers.
 */
export function createRemoveWorkersActivity(deps: ActivityDependencies): Pick<StepActivities, 'removeWorkers'> {
  return {
    removeWorkers: (input) =>
      heartbeating(async (beat) => {
        const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.slots ?? []);
        const victims = nodes.map(({ nodeName }) => nodeName);
        const timeoutSeconds = await drainTimeoutOf(deps, input);
        await onControlPlane(deps, input, { beat }, async ({ session }) => {
          for (const name of victims) await cordon(session, beat, name);
          for (let at = 0; at < victims.length; at += NODES_AT_ONCE) {
            await Promise.all(
              victims
                .slice(at, at + NODES_AT_ONCE)
                .map((name) => leaveCluster(deps, session, { name, timeoutSeconds, beat })),
            );
          }
        });
        return {};
      }),
  };
}
