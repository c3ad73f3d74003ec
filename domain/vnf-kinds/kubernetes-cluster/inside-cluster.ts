import { parseSlot } from '../../slot.ts';
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
    reconfigure: (drawing, slots, direction) => {
      const kind = direction === 'forward' ? 'connectRegistries' : 'restoreRegistries';
      for (const slot of slots.filter(isNodeOf(shape))) drawing.add(kind, [], { slot });
    },
    replaceServers: (drawing, slots) => drawHeal(drawing, healFacts(slots, shape, additionalParams), survey),
  };
}

/** VNFCs of other VDUs are no nodes of the cluster. */
function isNodeOf({ controlPlane, workers }: ClusterShape): (slot: string) => boolean {
  return (slot) => [controlPlane.vduId, workers.vduId].includes(parseSlot(slot).vduId);
}
