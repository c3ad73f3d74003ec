import type { ControlPlaneSurvey } from '../planner/heal.ts';
import { slotNames } from '../slot.ts';

/** What a control plane of `count` nodes says about itself. @param dead indices of the nodes whose etcd does not answer */
export function survey(count: number, dead: readonly number[]): ControlPlaneSurvey {
  const nodes = slotNames('masterNode', count).map((slot, index) => ({
    slot,
    name: `master${index + 11}`,
    address: `10.10.0.${index + 11}`,
  }));
  const members = nodes.map(({ name, address }, index) => ({
    ...{ id: `a${index}`, name, peerUrls: [`https://${address}:2380`], started: true, learner: false },
    healthy: !dead.includes(index),
  }));
  return { nodes, members };
}
