import type { ScaleFacts } from '../../domain/stack-plans/scale.ts';
import { scaleFacts } from '../../domain/stack-plans/scale-facts.ts';
import { flavourOfInstance } from '../../planning/package-of-instance.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readInstance } from './operation-facts.ts';
import { readRequest } from './read-request.ts';

/** What the scale under way adds or removes, from its request and the instance as it was before the scale. */
export async function readScaleFacts(context: ActivityContext): Promise<ScaleFacts> {
  const instance = await readInstance(context);
  const request = await readRequest(context, 'SCALE');
  return scaleFacts(request, await flavourOfInstance(context.deps, instance), instance.instantiatedVnfInfo ?? {});
}
