import { VnflowError } from '../../domain/problems.ts';
import type { ScaleVnfRequest } from '../../domain/sol-requests.ts';
import { type ScaledInfo, scaleFacts } from '../../domain/stack-plans/scale-facts.ts';
import { planScale, type ScaleFacts } from '../../domain/vnf-kinds/kubernetes-cluster/plan-scale.ts';
import { flavour } from '../../domain/vnfd.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkIdle, checkInstantiationState } from './lcm-operation.ts';
import { packageOfInstance } from './package-of-instance.ts';
import { repeatedParameters } from './repeated-parameters.ts';

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
  const { vnfd } = await packageOfInstance(context, instance);
  const info: ScaledInfo & { flavourId?: string } = instance.instantiatedVnfInfo ?? {};
  const chosen = flavour(vnfd, String(info.flavourId));
  const facts = scaleFacts(request, chosen, info);
  const cluster = await repeatedParameters(context, instance, request.additionalParams);
  if (cluster && facts.vduId !== cluster.worker_node.vdu_id) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `aspectId: ${request.aspectId} scales ${facts.vduId}; only workers (${cluster.worker_node.vdu_id}) can be scaled.`,
    });
  }
  return { facts, plan: planScale(facts) };
}
