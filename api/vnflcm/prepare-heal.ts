import type { Plan } from '../../domain/operation/plan.ts';
import type { HealVnfRequest } from '../../domain/sol-requests.ts';
import type { ControlPlaneSurvey } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { healFacts } from '../../domain/vnf-kinds/kubernetes-cluster/heal-facts.ts';
import { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { planHeal } from '../../domain/vnf-kinds/kubernetes-cluster/plan-heal.ts';
import { backupIdOf, checkBackup } from '../../domain/vnf-kinds/kubernetes-cluster/plan-restore.ts';
import { listClusterBackups } from '../../store/cluster-backups.ts';
import { findClusterVim } from '../../store/cluster-vims.ts';
import { secretName } from '../../store/secrets.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkIdle, checkInstantiationState } from './lcm-operation.ts';
import { repeatedParameters } from './repeated-parameters.ts';

/**
 * The plan of a heal. Without a survey as if every control-plane node voted: who does is asked when it begins. Everything that can be known to be
 * wrong without asking the cluster is refused here. Changes nothing.
 * @throws VnflowError VNF_BUSY, VNF_NOT_INSTANTIATED, BAD_REQUEST (an unknown vnfcInstanceId), QUORUM_LOST, QUORUM_INCOMPLETE, BACKUP_MISSING,
 * BACKUP_UNKNOWN, BACKUP_NOT_NEEDED
 */
export async function healPlan(
  context: ApiContext,
  instance: VnfInstanceRow,
  request: HealVnfRequest,
  survey?: ControlPlaneSurvey,
): Promise<Plan> {
  await checkIdle(context, instance.id);
  checkInstantiationState(instance, 'INSTANTIATED');
  const parameters =
    (await repeatedParameters(context, instance, request.additionalParams)) ??
    ClusterParameters.parse(await context.secrets.get(secretName.clusterParameters(instance.id)));
  const isVim = (await findClusterVim(context.db, instance.id)) !== undefined;
  const plan = planHeal(healFacts(request, instance.instantiatedVnfInfo, { parameters, isVim }), survey);
  const backups = await listClusterBackups(context.db, instance.id);
  const backupId = backupIdOf(request);
  if (survey || backupId !== undefined) checkBackup(plan, { vnfInstanceId: instance.id, backups, backupId });
  return plan;
}
