import { slotsSurveyedLast } from '../../planning/make-plan.ts';
import type { LeasedContext } from '../activity-context.ts';
import { askControlPlane } from '../etcd/ask-control-plane.ts';
import { keepFacts } from '../facts/kept-facts.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';

/**
 * Asks the control plane which members vote and which nodes answer, before a heal is planned. Changes nothing in the
 * cluster.
 */
export async function surveyControlPlane(context: LeasedContext): Promise<void> {
  const { deps } = context;
  const last = await slotsSurveyedLast(deps, {
    instance: await readInstance(context),
    request: await readRequest(context, 'HEAL'),
  });
  if (!last) return;
  const survey = await askControlPlane(context, { last, patienceSeconds: deps.pace.surveyLimit });
  await keepFacts(context, { survey });
}
