import { z } from 'zod';

/** `kubectl get nodes -o json`, as far as vnflow reads it. */
const NodeList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z
        .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
        .default({ conditions: [] }),
    }),
  ),
});

/** Names of the nodes whose condition Ready is True. @throws z.ZodError, SyntaxError when it is no node list */
export function readyNodes(kubectlJson: string): Set<string> {
  const { items } = NodeList.parse(JSON.parse(kubectlJson));
  return new Set(
    items
      .filter(({ status }) => status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True'))
      .map(({ metadata }) => metadata.name),
  );
}
