import { nodeLabel } from '../../domain/node-name.ts';
import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import type { Database } from '../../store/open-store.ts';

/** Reads the labels of nodes by slot, for people. A slot without a node has none. */
export async function readLabels(
  db: Database,
  vnfInstanceId: string,
  slots: readonly string[],
): Promise<Record<string, string>> {
  const nodes = await findNodesOfSlots(db, vnfInstanceId, slots);
  return Object.fromEntries(nodes.map((node) => [node.slot, nodeLabel(node.nodeName, node.nicAddress)]));
}
