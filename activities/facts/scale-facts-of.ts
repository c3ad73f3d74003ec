import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { ScaleVnfRequest } from '../../domain/sol-requests.ts';
import type { ScaleFacts } from '../../domain/stack-plans/scale.ts';
import { scaleFacts } from '../../domain/stack-plans/scale-facts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { flavourOfInstance, instanceOf, operationOf } from './operation-facts.ts';

/** What the scale under way means, from its request and the instance as it was before. */
export async function scaleFactsOf(deps: ActivityDependencies, ref: OperationRef): Promise<ScaleFacts> {
  const instance = await instanceOf(deps, ref);
  const request = await scaleRequestOf(deps, ref);
  return scaleFacts(request, await flavourOfInstance(deps, instance), instance.instantiatedVnfInfo ?? {});
}

export async function scaleRequestOf(deps: ActivityDependencies, ref: OperationRef): Promise<ScaleVnfRequest> {
  return ScaleVnfRequest.parse((await operationOf(deps, ref)).operationParams);
}
