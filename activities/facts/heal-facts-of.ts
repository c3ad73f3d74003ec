import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { HealVnfRequest } from '../../domain/sol-requests.ts';
import type { ControlPlaneSurvey } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { readOperationFact } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The request of the heal under way, secrets included: never leaves the activity. */
export async function healRequestOf(deps: ActivityDependencies, ref: OperationRef): Promise<HealVnfRequest> {
  return HealVnfRequest.parse(await deps.secrets.get(secretName.operationParams(ref.vnfLcmOpOccId)));
}

/** What `surveyControlPlane` found, or undefined when it was not asked. */
export async function surveyOf(deps: ActivityDependencies, ref: OperationRef): Promise<ControlPlaneSurvey | undefined> {
  return readOperationFact(deps.db, ref.vnfLcmOpOccId, 'survey');
}
