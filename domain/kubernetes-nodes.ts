import { z } from 'zod';

/** A Node object, as far as vnflow reads it. */
const Node = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .default({ conditions: [] }),
});

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
