import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { listClusterNodes } from '../../store/cluster-nodes.ts';
import { listSteps } from '../../store/operation-steps.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { controlOperation } from '../vnflcm/control-operation.ts';
import { vnfLcmOpOccOf } from '../vnflcm/lookup.ts';
import { stepView } from './timeline.ts';

const STEP = '/vnf_lcm_op_occs/:id/steps/:stepId';

/** The body of skip: why. */
export const SkipStepRequest = z.strictObject({ reason: z.string().trim().min(1).max(1000) });

/** Controls of single steps, beyond SOL003. Each answers with the step. */
export function stepControlResources(context: ApiContext): Record<string, Endpoints> {
  const plain = (kind: 'retryStep' | 'pauseBefore' | 'resume') =>
    withoutBody((request) => controlStep(context, request, (common) => ({ kind, ...common })));
  return {
    [`${STEP}/retry`]: { POST: plain('retryStep') },
    [`${STEP}/pause`]: { POST: plain('pauseBefore') },
    [`${STEP}/resume`]: { POST: plain('resume') },
    [`${STEP}/skip`]: {
      POST: withBody(SkipStepRequest, (request, { reason }) =>
        controlStep(context, request, (common) => ({ kind: 'skipStep', reason, ...common })),
      ),
    },
  };
}

async function controlStep(
  context: ApiContext,
  request: ApiRequest,
  actionOf: (common: { stepId: string; by: string }) => Parameters<typeof controlOperation>[2],
): Promise<ApiAnswer> {
  const operation = await vnfLcmOpOccOf(context, request);
  const stepId = request.params['stepId'] ?? '';
  await controlOperation(context, operation, actionOf({ stepId, by: request.caller.userName }));
  const [steps, nodes] = await Promise.all([
    listSteps(context.db, operation.id),
    listClusterNodes(context.db, operation.vnfInstanceId),
  ]);
  const step = steps.find((step) => step.stepId === stepId);
  if (!step) throw new VnflowError('NOT_FOUND', { detail: `The operation has no step ${stepId.slice(0, 200)}.` });
  return { status: 200, json: stepView(step, { nodes, expectedSeconds: undefined }) };
}
