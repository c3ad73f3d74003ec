import type { ClusterParameters } from '../../domain/cluster-parameters.ts';
import { planScale, type ScaleFacts } from '../../domain/planner/scale.ts';
import { type ScaledInfo, scaleFacts } from '../../domain/planner/scale-facts.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { ScaleVnfRequest } from '../../domain/sol-requests.ts';
import { hotResources } from '../../domain/standard-user-data.ts';
import { flavour } from '../../domain/vnfd.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkClusterParameters } from './check-cluster-parameters.ts';
import { checkUserData } from './check-user-data.ts';
import { checkIdle, checkInstantiationState } from './lcm-operation.ts';
import { packageOfInstance, textsUnder } from './package-of-instance.ts';

const CLUSTER_PARAMETERS = 'k8s_cluster_installation_param';

/**
 * Everything that can be known to be wrong with a scale before anything is done. Changes nothing.
 * @throws VnflowError
 */
export async function prepareScale(
  context: ApiContext,
  instance: VnfInstanceRow,
  request: ScaleVnfRequest,
): Promise<{ readonly facts: ScaleFacts; readonly plan: ReturnType<typeof planScale> }> {
  await checkIdle(context, instance.id);
  checkInstantiationState(instance, 'INSTANTIATED');
  const { vnfd, files } = await packageOfInstance(context, instance);
  const info: ScaledInfo & { flavourId?: string } = instance.instantiated_vnf_info ?? {};
  const chosen = flavour(vnfd, String(info.flavourId));
  const facts = scaleFacts(request, chosen, info);
  const cluster = repeatedParameters(request, (params) =>
    checkClusterParameters(params, {
      vdus: chosen.vdus.map(({ id }) => id),
      resources: (vduId) => hotResources(textsUnder(files, `BaseHOT/${chosen.id}/`), vduId),
      files,
    }),
  );
  if (cluster && facts.vduId !== cluster.worker_node.vdu_id) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `aspectId: ${request.aspectId} scales ${facts.vduId}; only workers (${cluster.worker_node.vdu_id}) can be scaled.`,
    });
  }
  return { facts, plan: planScale(facts) };
}

/** Tacker's clients repeat the cluster's parameters with each operation; without them those of instantiate hold. */
function repeatedParameters(
  { additionalParams }: ScaleVnfRequest,
  check: (params: unknown) => ClusterParameters,
): ClusterParameters | undefined {
  if (additionalParams === undefined) return undefined;
  if ('lcm-operation-user-data' in additionalParams || 'lcm-operation-user-data-class' in additionalParams) {
    checkUserData(additionalParams);
  }
  return CLUSTER_PARAMETERS in additionalParams ? check(additionalParams) : undefined;
}
