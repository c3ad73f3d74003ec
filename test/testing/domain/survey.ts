import { slotNames } from '../../../domain/slot.ts';
import {
  type ControlPlaneSurvey,
  judgeControlPlane,
} from '../../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { majority } from '../../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';

/**
 * Makes the survey of a control plane of `count` nodes.
 * @param dead indices of the nodes whose etcd does not answer, and whose servers are off
 * @param unknown indices of the nodes that are unreachable
 */
export function survey(count: number, dead: readonly number[], unknown: readonly number[] = []): ControlPlaneSurvey {
  const nodes = slotNames('masterNode', count).map((slot, index) => ({
    slot,
    name: `master${index + 11}`,
    address: `10.10.0.${index + 11}`,
  }));
  const isGone = (index: number) => dead.includes(index) || unknown.includes(index);
  const members = nodes.map(({ name, address }, index) => ({
    ...{ id: `a${index}`, name, peerUrls: [`https://${address}:2380`], started: true, learner: false },
    healthy: !isGone(index),
  }));
  const proved = members.filter(({ healthy }) => healthy).length >= majority(count);
  return judgeControlPlane(
    nodes.map((node, index) => ({
      node,
      etcd: isGone(index)
        ? { kind: 'unclear', seen: `${node.address} does not answer` }
        : proved
          ? { kind: 'majority', members }
          : { kind: 'alone' },
      server: { kind: 'status', status: dead.includes(index) ? 'SHUTOFF' : 'ACTIVE' },
    })),
  );
}
