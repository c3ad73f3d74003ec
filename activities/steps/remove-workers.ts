import { type ClusterNode, findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { cordon, drainTimeoutOf, leaveCluster } from '../node/leave-cluster.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';

/** Evictions of one node must not starve those of another. */
const NODES_AT_ONCE = 10;

/**
 * Takes workers out of the cluster: cordon, drain through the eviction API (disruption budgets respected), delete the node.
 * One session to a control-plane node, whatever the number of workers; none to the workers.
 */
export async function removeWorkers(step: StepContextOf<'removeWorkers'>): Promise<undefined> {
  const { deps, input } = step;
  const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.workers);
  const victims = nodes.map(({ nodeName }) => nodeName);
  await keepNames(step, nodes);
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

/** `discover` removes the rows of nodes without a server; `forgetNodes` needs the names after that. */
async function keepNames({ deps, input }: StepContext, nodes: readonly ClusterNode[]): Promise<void> {
  const kept = await readOperationFact(deps.db, input.vnfLcmOpOccId, 'removedNodes');
  const removedNodes = { ...kept, ...Object.fromEntries(nodes.map(({ slot, nodeName }) => [slot, nodeName])) };
  await writeAsAttempt(deps, ({ db }) => keepOperationFacts(db, input.vnfLcmOpOccId, { removedNodes }));
}
