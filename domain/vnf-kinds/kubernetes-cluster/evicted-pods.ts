import { z } from 'zod';

/** A name of a Kubernetes object. It is harmless in any terminal. */
const Name = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/);

/** A pod that has to leave when its node is drained. */
export const EvictedPod = z.object({
  namespace: Name,
  name: Name,
  node: Name,
  /** The disruption budget that covers it, and how many of its pods may go now. */
  budget: z.object({ name: Name, disruptionsAllowed: z.number() }).optional(),
});
export type EvictedPod = z.infer<typeof EvictedPod>;

const Labels = z.record(z.string(), z.string()).default({});

const PodList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        namespace: Name,
        name: Name,
        labels: Labels,
        annotations: Labels,
        ownerReferences: z.array(z.object({ kind: z.string() })).default([]),
      }),
      spec: z.object({ nodeName: Name }),
      status: z.object({ phase: z.string().optional() }).default({}),
    }),
  ),
});
type Pod = z.infer<typeof PodList>['items'][number];

const Expression = z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) });
type Expression = z.infer<typeof Expression>;

const BudgetList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ namespace: Name, name: Name }),
      spec: z.object({
        selector: z.object({ matchLabels: Labels, matchExpressions: z.array(Expression).default([]) }).optional(),
      }),
      status: z.object({ disruptionsAllowed: z.number().default(0) }).default({ disruptionsAllowed: 0 }),
    }),
  ),
});
type Budget = z.infer<typeof BudgetList>['items'][number];

/** kubelet's copy of a static pod: it ends with its node, and a drain does not evict it. */
const MIRROR = 'kubernetes.io/config.mirror';
const FINISHED = new Set(['Succeeded', 'Failed']);

/**
 * The pods that `kubectl drain --ignore-daemonsets` evicts, but for those that have run to their end.
 * @param pods answer of `kubectl get pods -o json` @param budgets answer of `kubectl get poddisruptionbudgets -o json`
 * @throws SyntaxError, ZodError when it is none
 */
export function evictedPods(pods: string, budgets: string): EvictedPod[] {
  const known = BudgetList.parse(JSON.parse(budgets)).items;
  return PodList.parse(JSON.parse(pods))
    .items.filter(mustLeave)
    .map((pod) => {
      const { namespace, name } = pod.metadata;
      const budget = known.find((one) => covers(one, pod));
      return {
        namespace,
        name,
        node: pod.spec.nodeName,
        ...(budget
          ? { budget: { name: budget.metadata.name, disruptionsAllowed: budget.status.disruptionsAllowed } }
          : {}),
      };
    });
}

function mustLeave({ metadata, status }: Pod): boolean {
  if (metadata.ownerReferences.some(({ kind }) => kind === 'DaemonSet')) return false;
  return !(MIRROR in metadata.annotations) && !FINISHED.has(status.phase ?? '');
}

/**
 * Whether a budget covers a pod. In policy/v1 an empty selector covers every pod of the namespace, and a missing
 * selector covers no pod.
 */
function covers({ metadata: { namespace }, spec: { selector } }: Budget, pod: Pod): boolean {
  const { labels } = pod.metadata;
  if (!selector || namespace !== pod.metadata.namespace) return false;
  const equal = Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value);
  return equal && selector.matchExpressions.every((expression) => matchesExpression(expression, labels));
}

function matchesExpression({ key, operator, values }: Expression, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[key];
  const among = value !== undefined && values.includes(value);
  const verdicts: Readonly<Record<string, boolean>> = {
    In: among,
    NotIn: !among,
    Exists: value !== undefined,
    DoesNotExist: value === undefined,
  };
  return verdicts[operator] ?? false;
}
