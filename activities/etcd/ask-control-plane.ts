import {
  type ControlPlaneSurvey,
  confirmedBy,
  isSettled,
  isWhole,
  nodeTexts,
  sameVerdicts,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import type { LeasedContext } from '../activity-context.ts';
import { pollUntil, steadyPause } from '../attempt/poll.ts';
import { lookAtControlPlane } from './look-at-control-plane.ts';

interface Question {
  /** Slots of the control-plane nodes that the survey asks last. */
  readonly last: readonly string[];
  /** How long the question is repeated while the answer is in doubt. With 0 there is one question. */
  readonly patienceSeconds: number;
}

/**
 * Asks the control plane which members vote and which nodes answer. The question is repeated until every node votes, or
 * until two answers agree and waiting would not change them. A node that is still in doubt after that stays `unknown`.
 */
export async function askControlPlane(
  context: LeasedContext,
  { last, patienceSeconds }: Question,
): Promise<ControlPlaneSurvey> {
  const { deps, signal } = context;
  let before: ControlPlaneSurvey | undefined;
  const pause = steadyPause(deps.pace.poll);
  return pollUntil({ pause, limitSeconds: patienceSeconds, signal }, async (isLate) => {
    const seen = await lookAtControlPlane(context, { last });
    if (patienceSeconds === 0 || isWhole(seen)) return seen;
    if (before) {
      if (isSettled(seen) && sameVerdicts(before, seen)) return seen;
      if (isLate()) return confirmedBy(before, seen);
    }
    context.say(`asking again: ${nodeTexts(seen.nodes)}`);
    before = seen;
    return undefined;
  });
}
