import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { HealVnfRequest } from '../../domain/sol-requests.ts';
import type { ControlPlaneSurvey } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { healFacts } from '../../domain/vnf-kinds/kubernetes-cluster/heal-facts.ts';
import type { HealFacts } from '../../domain/vnf-kinds/kubernetes-cluster/plan-heal.ts';
import { findClusterVim } from '../../store/cluster-vims.ts';
import { readOperationFact } from '../../store/operations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { parametersOf } from '../node/node-session.ts';
import { instanceOf, operationOf } from './operation-facts.ts';

/** What the heal under way means, from its request and the instance as it was before. */
export async function healFactsOf(deps: ActivityDependencies, ref: OperationRef): Promise<HealFacts> {
  const [request, instance, parameters, vim] = await Promise.all([
    healRequestOf(deps, ref),
    instanceOf(deps, ref),
    parametersOf(deps, ref),
    findClusterVim(deps.db, ref.vnfInstanceId),
  ]);
  return healFacts(request, instance.instantiatedVnfInfo, { parameters, isVim: vim !== undefined });
}

export async function healRequestOf(deps: ActivityDependencies, ref: OperationRef): Promise<HealVnfRequest> {
  return HealVnfRequest.parse((await operationOf(deps, ref)).operationParams);
}

/** What `surveyControlPlane` found, or undefined when it was not asked. */
export async function surveyOf(deps: ActivityDependencies, ref: OperationRef): Promise<ControlPlaneSurvey | undefined> {
  return readOperationFact(deps.db, ref.vnfLcmOpOccId, 'survey');
}
