import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { ControlPlaneSurvey } from './control-plane-survey.ts';
import { healFacts } from './heal-facts.ts';
import { drawNewCluster } from './new-cluster.ts';
import { drawHeal } from './plan-heal.ts';
import { drawGoneWorkers, drawLeavingWorkers, drawNewWorkers } from './scaled-workers.ts';
import type { ClusterShape } from './shape.ts';

interface ClusterFacts {
  /** The shape of the new cluster, or of the cluster before a later operation. */
  readonly shape: ClusterShape;
  /** The additional parameters of the request. */
  readonly additionalParams?: Readonly<Record<string, unknown>>;
  /** Undefined in a dry run, or when no control-plane node is replaced. */
  readonly survey?: ControlPlaneSurvey | undefined;
}

/** What happens inside the servers of a Kubernetes cluster. */
export function insideCluster({ shape, additionalParams, survey }: ClusterFacts): InsideServers {
  return {
    afterStackCreated: (drawing, discovered) => drawNewCluster(drawing, shape, discovered),
    afterServersAdded: (drawing, slots, discovered) => drawNewWorkers(drawing, slots, { shape, discovered }),
    beforeServersRemoved: drawLeavingWorkers,
    afterServersRemoved: (drawing, slots, removed) => drawGoneWorkers(drawing, slots, { shape, ...removed }),
    beforeStackRecreated: () => [],
    replaceServers: (drawing, slots) => drawHeal(drawing, healFacts(slots, shape, additionalParams), survey),
  };
}
