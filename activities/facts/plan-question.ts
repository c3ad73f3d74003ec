import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import {
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
} from '../../domain/sol-requests.ts';
import type { Vnf } from '../../domain/vnf-kinds/vnf-kind.ts';
import { type PlanQuestion, vnfOf } from '../../planning/make-plan.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { surveyOf } from './heal-facts-of.ts';
import { instanceOf, operationOf } from './operation-facts.ts';

/** The operation under way, as the planner needs it. The whole request is sealed: the row has none of its secrets. */
export async function planQuestionOf(deps: ActivityDependencies, ref: OperationRef): Promise<PlanQuestion> {
  const { operation } = await operationOf(deps, ref);
  const instance = await instanceOf(deps, ref);
  const params = await deps.secrets.get(secretName.operationParams(ref.vnfLcmOpOccId));
  switch (operation) {
    case 'INSTANTIATE':
      return { operation, instance, request: InstantiateVnfRequest.parse(params) };
    case 'SCALE':
      return { operation, instance, request: ScaleVnfRequest.parse(params) };
    case 'HEAL':
      return { operation, instance, request: HealVnfRequest.parse(params), survey: await surveyOf(deps, ref) };
    case 'TERMINATE':
      return { operation, instance, request: TerminateVnfRequest.parse(params) };
    default:
      return operation satisfies never;
  }
}

/** The VNF of the operation under way. @throws VnflowError INTERNAL for a terminate, which needs to know nothing of the VNF */
export async function vnfOfOperation(deps: ActivityDependencies, ref: OperationRef): Promise<Vnf> {
  const question = await planQuestionOf(deps, ref);
  if (question.operation !== 'TERMINATE') return vnfOf(deps, question);
  throw new VnflowError('INTERNAL', { detail: `Operation ${ref.vnfLcmOpOccId} deletes its VNF.` });
}
