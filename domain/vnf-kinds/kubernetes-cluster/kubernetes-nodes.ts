import { z } from 'zod';

/** A Node object, as far as vnflow reads it. */
const Node = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      nodeInfo: z.object({ systemUUID: z.string().default('') }).default({ systemUUID: '' }),
    })
    .default({ conditions: [], nodeInfo: { systemUUID: '' } }),
});

/** A Node object as people want to see it. */
export const NodeState = z.object({
  name: z.string(),
  ready: z.boolean(),
  /** Reason of the condition Ready, for example `NodeStatusUnknown`. */
  reason: z.string().optional(),
  /** When the node became Ready, or ceased to be. */
  since: z.string().optional(),
  /** Version of the kubelet, for example `v1.26.8`. */
  kubelet: z.string().optional(),
});
export type NodeState = z.infer<typeof NodeState>;

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});
const StatedNodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        conditions: z.array(Condition).default([]),
        nodeInfo: z.object({ kubeletVersion: z.string().optional() }).optional(),
      }),
    }),
  ),
});

/** The nodes of `kubectl get nodes -o json` with their state. @throws z.ZodError, SyntaxError when it is no node list */
export function nodeStates(kubectlJson: string): NodeState[] {
  return StatedNodes.parse(JSON.parse(kubectlJson)).items.map(({ metadata, status }) => {
    const condition = status.conditions.find(({ type }) => type === 'Ready');
    const { reason, lastTransitionTime: since } = condition ?? {};
    const kubelet = status.nodeInfo?.kubeletVersion;
    return {
      name: metadata.name,
      ready: condition?.status === 'True',
      ...(reason === undefined ? {} : { reason }),
      ...(since === undefined ? {} : { since }),
      ...(kubelet === undefined ? {} : { kubelet }),
    };
  });
}

/** `kubectl get nodes -o json`, or `kubectl get node NAME -o json`. */
const Answer = z.union([z.object({ items: z.array(Node) }), Node.transform((node) => ({ items: [node] }))]);

/** Names of the nodes whose condition Ready is True. @throws z.ZodError, SyntaxError when it is no node list */
export function readyNodes(kubectlJson: string): Set<string> {
  const { items } = Answer.parse(JSON.parse(kubectlJson));
  return new Set(
    items
      .filter(({ status }) => status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True'))
      .map(({ metadata }) => metadata.name),
  );
}

/** Names of the nodes that the API server knows. @throws as `readyNodes` */
export function knownNodes(kubectlJson: string): Set<string> {
  const { items } = Answer.parse(JSON.parse(kubectlJson));
  return new Set(items.map(({ metadata }) => metadata.name));
}

/** A node as the store knows it. */
interface NodeOnServer {
  readonly nodeName: string;
  readonly serverId: string;
}

/**
 * Names of those nodes whose Node object is of another machine: it is older than the server. Nova shows a server's id
 * to the guest as the machine's UUID, as a rule; where it does not, which the control-plane node `own` shows, the
 * result is empty.
 * @throws as `readyNodes`
 */
export function nodesOfOtherMachines(kubectlJson: string, nodes: readonly NodeOnServer[], own: NodeOnServer): string[] {
  const { items } = Answer.parse(JSON.parse(kubectlJson));
  const machines = new Map(
    items.map(({ metadata, status }) => [metadata.name, status.nodeInfo.systemUUID.toLowerCase()]),
  );
  if (machines.get(own.nodeName) !== own.serverId.toLowerCase()) return [];
  const isOther = ({ nodeName, serverId }: NodeOnServer) => {
    const machine = machines.get(nodeName) ?? '';
    return machine !== '' && machine !== serverId.toLowerCase();
  };
  return nodes.filter(isOther).map(({ nodeName }) => nodeName);
}
