import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { forgetInstance } from '../forget-instance.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Forgets the cluster. Its VIM needs no step of its own: it is a row and a secret, and no network is needed to remove
 * it.
 */
export async function forgetCluster({ deps, input }: StepContextOf<'forgetCluster'>): Promise<undefined> {
  await writeAsAttempt(deps, (inside) => forgetInstance(inside, input.vnfInstanceId));
}
