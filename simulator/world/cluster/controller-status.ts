import type { World } from '../world.ts';
import type { ClusterState, KubeObject } from './clusters.ts';
import { budgetStatus } from './disruption-budgets.ts';
import { podsOf } from './pods.ts';
import { replicaSetOf } from './workloads.ts';

/** Adds the status that controllers write into objects that people created. */
export function withStatus(world: World, cluster: ClusterState, made: KubeObject): KubeObject {
  if (made.kind === 'PodDisruptionBudget') return { ...made, status: budgetStatus(world, cluster, made) };
  if (made.kind !== 'Deployment') return made;
  const pods = podsOf(world, cluster).filter(({ ownerName }) => ownerName === replicaSetOf(made));
  const ready = pods.filter((pod) => pod.ready).length;
  return {
    ...made,
    status: { replicas: pods.length, updatedReplicas: pods.length, readyReplicas: ready, availableReplicas: ready },
  };
}
