import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import type { ScaleFacts } from '../../domain/stack-plans/scale.ts';
import { scaleFacts } from '../../domain/stack-plans/scale-facts.ts';
import { flavourOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from './operation-facts.ts';
import { requestOf } from './request-of.ts';

/** What the scale under way means, from its request and the instance as it was before. */
export async function scaleFactsOf(deps: ActivityDependencies, ref: OperationRef): Promise<ScaleFacts> {
  const instance = await instanceOf(deps, ref);
  const request = await requestOf(deps, ref, 'SCALE');
  return scaleFacts(request, await flavourOfInstance(deps, instance), instance.instantiatedVnfInfo ?? {});
}
