import { LCM_OPERATIONS, type Operation, type RequestOf } from '../../domain/operations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkIdle, checkInstantiationState, startOperation } from './lcm-operation.ts';
import { healPlan } from './prepare-heal.ts';
import { prepareInstantiate } from './prepare-instantiate.ts';
import { prepareScale } from './prepare-scale.ts';

/** Checks everything that can be known before the operation starts. @returns the parameters of the operation */
type Check<O extends Operation> = (
  context: ApiContext,
  instance: VnfInstanceRow,
  body: RequestOf<O>,
) => Promise<Record<string, unknown>>;

const CHECKS: { readonly [O in Operation]: Check<O> } = {
  INSTANTIATE: async (context, instance, body) => ({ ...(await prepareInstantiate(context, instance, body)).params }),
  TERMINATE: async (context, instance, body) => {
    await checkIdle(context, instance.id);
    checkInstantiationState(instance, LCM_OPERATIONS.TERMINATE.needs);
    return body;
  },
  SCALE: async (context, instance, body) => {
    await prepareScale(context, instance, body);
    return body;
  },
  HEAL: async (context, instance, body) => {
    await healPlan(context, instance, body);
    return body;
  },
};

/**
 * Checks a request and hands it over to the engine. Every version of the API starts operations here.
 * @param body the request in the internal model, which is that of SOL003 3.3.1
 * @returns the id of the operation occurrence, whose row exists by then
 * @throws VnflowError VNF_BUSY, VNF_INSTANTIATED, VNF_NOT_INSTANTIATED, ENGINE_UNAVAILABLE, and what is wrong with the request
 */
export async function beginOperation<O extends Operation>(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, body }: { readonly operation: O; readonly body: RequestOf<O> },
): Promise<string> {
  const params = await CHECKS[operation](context, instance, body);
  return startOperation(context, instance, { operation, params });
}
