import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Vnf } from '../../domain/vnf-kinds/vnf-kind.ts';
import { type PlanQuestion, vnfOf } from '../../planning/make-plan.ts';
import { readOperationFact } from '../../store/operations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf, operationOf } from './operation-facts.ts';
import { requestOf } from './request-of.ts';

/** The operation under way, as the planner needs it. */
export async function planQuestionOf(deps: ActivityDependencies, ref: OperationRef): Promise<PlanQuestion> {
  const { operation } = await operationOf(deps, ref);
  const instance = await instanceOf(deps, ref);
  const request = await requestOf(deps, ref, operation);
  const survey = LCM_OPERATIONS[operation].surveysControlPlane
    ? await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'survey')
    : undefined;
  // The compiler does not see that operation and request belong together.
  return { operation, request, instance, survey } as PlanQuestion;
}

/** The VNF of the operation under way. @throws VnflowError INTERNAL when the operation needs to know nothing of the VNF */
export async function vnfOfOperation(deps: ActivityDependencies, ref: OperationRef): Promise<Vnf> {
  const question = await planQuestionOf(deps, ref);
  if (question.operation === 'TERMINATE' || question.operation === 'MODIFY_INFO') {
    throw new VnflowError('INTERNAL', {
      detail: `${question.operation} ${ref.vnfLcmOpOccId} does nothing inside its VNF.`,
    });
  }
  return vnfOf(deps, question);
}
