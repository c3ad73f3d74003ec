import { setTimeout as delay } from 'node:timers/promises';
import type { OperationRef, RecordActivities } from '../../domain/operation/activity-contract.ts';
import {
  type ControlPlaneSurvey,
  confirmedBy,
  isSettled,
  isWhole,
  nodeTexts,
  sameVerdicts,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { slotsSurveyedLast } from '../../planning/make-plan.ts';
import { keepOperationFacts } from '../../store/operations.ts';
import { type Beat, heartbeating } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { lookAtControlPlane } from '../etcd/look-at-control-plane.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import { requestOf } from '../facts/request-of.ts';

/** Asks the control plane who votes and who answers, before a heal is planned. Changes nothing. */
export function createSurveyActivity(deps: ActivityDependencies): Pick<RecordActivities, 'surveyControlPlane'> {
  return {
    surveyControlPlane: (ref) =>
      heartbeating(async (beat) => {
        const last = await slotsSurveyedLast(deps, {
          instance: await instanceOf(deps, ref),
          request: await requestOf(deps, ref, 'HEAL'),
        });
        if (!last) return;
        const asking = { last, patienceSeconds: deps.pace.surveyLimit, beat };
        const survey = await askControlPlane(deps, ref, asking);
        await writeAsAttempt(deps, ({ db }) => keepOperationFacts(db, ref.vnfLcmOpOccId, { survey }));
      }),
  };
}

interface Asking {
  /** Slots of control-plane nodes that are asked after the others. */
  readonly last: readonly string[];
  /** How long it is asked again while the answer is in doubt; 0: one look must do. */
  readonly patienceSeconds: number;
  readonly beat: Beat;
}

/**
 * Who votes and who answers: looks again until every node votes, or until two looks agree and waiting would not change them. What
 * is in doubt after that stays `unknown`.
 */
export async function askControlPlane(
  deps: ActivityDependencies,
  ref: OperationRef,
  { last, patienceSeconds, beat }: Asking,
): Promise<ControlPlaneSurvey> {
  const until = Date.now() + patienceSeconds * 1000;
  let before: ControlPlaneSurvey | undefined;
  for (;;) {
    const seen = await lookAtControlPlane(deps, ref, { last, beat });
    if (patienceSeconds === 0 || isWhole(seen)) return seen;
    if (before) {
      if (isSettled(seen) && sameVerdicts(before, seen)) return seen;
      if (Date.now() >= until) return confirmedBy(before, seen);
    }
    beat.say(`asking again: ${nodeTexts(seen.nodes)}`);
    before = seen;
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  }
}
