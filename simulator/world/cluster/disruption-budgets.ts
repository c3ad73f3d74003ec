import type { World } from '../world.ts';
import type { ClusterState, KubeObject } from './clusters.ts';
import { type Pod, podsOf } from './pods.ts';

type Labels = Readonly<Record<string, string>>;

interface BudgetSpec {
  readonly selector?: { readonly matchLabels?: Labels };
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
}

/** The status that the disruption controller maintains. */
export interface BudgetStatus {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
}

const specOf = (budget: KubeObject) => (budget['spec'] ?? {}) as BudgetSpec;

function covers(budget: KubeObject, { namespace, labels }: Pick<Pod, 'namespace' | 'labels'>): boolean {
  const wanted = Object.entries(specOf(budget).selector?.matchLabels ?? {});
  return budget.metadata.namespace === namespace && wanted.every(([key, value]) => labels[key] === value);
}

/** Converts a number or percentage to a number of pods; Kubernetes rounds percentages up. */
function amount(value: number | string, of: number): number {
  const percent = /^(\d+)%$/.exec(String(value))?.[1];
  return percent === undefined ? Number(value) : Math.ceil((Number(percent) * of) / 100);
}

export function budgetStatus(world: World, cluster: ClusterState, budget: KubeObject): BudgetStatus {
  const pods = podsOf(world, cluster).filter((pod) => covers(budget, pod));
  const { minAvailable, maxUnavailable } = specOf(budget);
  const currentHealthy = pods.filter(({ ready }) => ready).length;
  const desiredHealthy =
    minAvailable !== undefined
      ? amount(minAvailable, pods.length)
      : Math.max(0, pods.length - (maxUnavailable === undefined ? pods.length : amount(maxUnavailable, pods.length)));
  return {
    currentHealthy,
    desiredHealthy,
    expectedPods: pods.length,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  };
}

/** The answers of the eviction API: 201, 429 while a budget forbids the eviction, 500 with more than one budget. */
export type EvictionAnswer = 'evicted' | 'too-many-requests' | 'more-than-one-budget';

/**
 * Returns whether a pod may be evicted now. A pending pod always may; a pod that is not ready may when the others
 * suffice.
 */
export function evictionAnswer(world: World, cluster: ClusterState, pod: Pod): EvictionAnswer {
  if (pod.phase === 'Pending') return 'evicted';
  const budgets = Object.values(cluster.objects).filter(
    (object) => object.kind === 'PodDisruptionBudget' && covers(object, pod),
  );
  const [budget] = budgets;
  if (!budget) return 'evicted';
  if (budgets.length > 1) return 'more-than-one-budget';
  const { currentHealthy, desiredHealthy, disruptionsAllowed } = budgetStatus(world, cluster, budget);
  const suffices = pod.ready ? disruptionsAllowed > 0 : desiredHealthy > 0 && currentHealthy >= desiredHealthy;
  return suffices ? 'evicted' : 'too-many-requests';
}
