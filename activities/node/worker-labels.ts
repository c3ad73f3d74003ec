import { serversWithNamedZone } from '../../domain/named-zones.ts';
import { VnflowError } from '../../domain/problems.ts';
import {
  hostLabels,
  LABELLED_NODES,
  type LabelledNode,
  labelManifest,
  type NodeLabels,
  nodesToLabel,
  readLabelledNodes,
} from '../../domain/vnf-kinds/kubernetes-cluster/host-labels.ts';
import { listServers } from '../../openstack/nova.ts';
import { listClusterNodes } from '../../store/cluster-nodes.ts';
import type { LeasedContext } from '../activity-context.ts';
import { readFact } from '../facts/kept-facts.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { withStack } from '../stack/stack-context.ts';
import { onControlPlane } from './control-plane.ts';
import { kubectl } from './kubectl.ts';
import type { NodeContext } from './node-session.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** kubectl sends a request for each node, 50 in a second. */
const APPLY_TIMEOUT_MS = 180_000;
const APPLY = ['apply', '--server-side', '--force-conflicts', '--field-manager', 'vnflow', '-f', '-'];

/**
 * Labels the workers of a cluster with the compute hosts on which Nova runs their servers now, and with their zones
 * where the request named some. It needs one session to a control-plane node, and one command if every label is right.
 * @returns names of the nodes whose labels were wrong
 * @throws VnflowError CLUSTER_NOT_READY, NODE_PROTOCOL, and those of `onControlPlane` and of Nova
 */
export async function refreshLabels(context: LeasedContext): Promise<readonly string[]> {
  const wanted = await findLabels(context);
  return onControlPlane(context, {}, async (node) => {
    const wrong = nodesToLabel(await readNodes(node), wanted);
    if (wrong.length > 0) await kubectl(node, APPLY, { stdin: labelManifest(wrong), timeoutMs: APPLY_TIMEOUT_MS });
    return wrong.map(({ name }) => name);
  });
}

/** The labels of the workers by the name of the node. A worker whose server has no compute host is left out. */
async function findLabels(context: LeasedContext): Promise<Map<string, NodeLabels>> {
  const { session, signal, deps, input } = await withStack(context);
  const found = await readFact(context, 'instantiatedVnfInfo');
  const inNamedZone = serversWithNamedZone(found ?? (await readInstance(context)).instantiatedVnfInfo);
  const servers = new Map((await listServers(session, { signal })).map((server) => [server.id, server]));
  const nodes = await listClusterNodes(deps.db, input.vnfInstanceId);
  return new Map(
    nodes.flatMap(({ role, serverId, nodeName }) => {
      const server = role === 'worker' ? servers.get(serverId) : undefined;
      const labels =
        server &&
        hostLabels({
          host: server['OS-EXT-SRV-ATTR:host'] ?? undefined,
          hostId: server.hostId ?? '',
          zone: inNamedZone.has(serverId) ? (server['OS-EXT-AZ:availability_zone'] ?? undefined) : undefined,
        });
      return labels ? [[nodeName, labels] as const] : [];
    }),
  );
}

async function readNodes(node: NodeContext): Promise<LabelledNode[]> {
  const args = ['get', 'nodes', '-o', `jsonpath=${LABELLED_NODES}`];
  const { stdout } = await kubectl(node, args, { maxOutputBytes: MAX_OUTPUT_BYTES });
  try {
    return readLabelledNodes(stdout);
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `kubectl on ${node.session.label} gave a list of nodes that cannot be read.`,
      cause: error,
    });
  }
}
