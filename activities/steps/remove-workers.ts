import { type ClusterNode, findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { workInParts } from '../attempt/in-parts.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import { onControlPlane } from '../node/control-plane.ts';
import { cordon, leaveCluster, readDrainTimeout } from '../node/leave-cluster.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';

/** Evictions of one node must not starve those of another. */
const NODES_AT_ONCE = 10;

/**
 * Takes workers out of the cluster: cordon, drain through the eviction API (disruption budgets respected), delete the
 * node. It needs one session to a control-plane node, whatever the number of workers, and none to the workers.
 */
export async function removeWorkers(step: StepContextOf<'removeWorkers'>): Promise<undefined> {
  const { deps, input } = step;
  const nodes = await findNodesOfSlots(deps.db, input.vnfInstanceId, input.workers);
  const victims = nodes.map(({ nodeName }) => nodeName);
  await keepNames(step, nodes);
  const timeoutSeconds = await readDrainTimeout(step);
  await onControlPlane(step, {}, async (node) => {
    for (const name of victims) await cordon(node, name);
    await workInParts(victims, NODES_AT_ONCE, (name) => leaveCluster(node, { name, timeoutSeconds }));
  });
}

/** Keeps the names for `forgetNodes`: until then `discover` removes the rows of nodes without a server. */
async function keepNames(step: StepContext, nodes: readonly ClusterNode[]): Promise<void> {
  const kept = await readFact(step, 'removedNodes');
  const names = Object.fromEntries(nodes.map(({ slot, nodeName }) => [slot, nodeName]));
  await keepFacts(step, { removedNodes: { ...kept, ...names } });
}
