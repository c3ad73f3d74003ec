import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { forgetInstance } from '../forget-instance.ts';
import type { StepContextOf } from '../step-context.ts';

/** The VIM goes here, not in a step of its own: it is a row and a secret like all that is forgotten here, and needs no network. */
export async function forgetCluster({ deps, input }: StepContextOf<'forgetCluster'>): Promise<undefined> {
  await writeAsAttempt(deps, (inside) => forgetInstance(inside, input.vnfInstanceId));
}
