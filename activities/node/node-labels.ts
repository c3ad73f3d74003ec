import { nodeLabel } from '../../domain/node-name.ts';
import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import type { Database } from '../../store/open-store.ts';

/** Slot → how people know the node, for those of the slots that have one. */
export async function labelsOf(
  db: Database,
  vnfInstanceId: string,
  slots: readonly string[],
): Promise<Record<string, string>> {
  const nodes = await findNodesOfSlots(db, vnfInstanceId, slots);
  return Object.fromEntries(nodes.map((node) => [node.slot, nodeLabel(node.nodeName, node.nicAddress)]));
}
