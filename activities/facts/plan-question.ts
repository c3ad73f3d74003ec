import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Vnf } from '../../domain/vnf-kinds/vnf-kind.ts';
import { type PlanQuestion, reconfiguredVnf, vnfOf } from '../../planning/make-plan.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readFact } from './kept-facts.ts';
import { readInstance, readOperation } from './operation-facts.ts';
import { readRequest } from './read-request.ts';

/** Reads what the planner needs to plan the operation under way. */
export async function readPlanQuestion(context: ActivityContext): Promise<PlanQuestion> {
  const { operation } = await readOperation(context);
  const instance = await readInstance(context);
  const request = await readRequest(context, operation);
  const survey = LCM_OPERATIONS[operation].surveysControlPlane
    ? ((await readFact(context, 'survey')) ?? (await readFact(context, 'contents')))
    : undefined;
  // The compiler does not see that operation and request belong together.
  return { operation, request, instance, survey } as PlanQuestion;
}

/**
 * The VNF of the operation under way; that of a modification as it is to become.
 * @throws VnflowError INTERNAL for a terminate, and for a modification that concerns nothing inside the servers: their
 * requests do not describe a VNF
 */
export async function readVnf(context: ActivityContext): Promise<Vnf> {
  const question = await readPlanQuestion(context);
  const changed = question.operation === 'MODIFY_INFO' ? await reconfiguredVnf(context.deps, question) : undefined;
  if (changed) return changed.vnf;
  if (question.operation === 'TERMINATE' || question.operation === 'MODIFY_INFO') {
    throw new VnflowError('INTERNAL', {
      detail: `${question.operation} ${context.input.vnfLcmOpOccId} does nothing inside its VNF.`,
    });
  }
  return vnfOf(context.deps, question);
}
