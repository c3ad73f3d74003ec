import type { StepInput, StepInputOf, StepResult } from '../domain/operation/activity-contract.ts';
import type { ActivityKind } from '../domain/steps/index.ts';
import { parseStepInput } from '../domain/steps/parse-step-input.ts';
import type { LeasedContext } from './activity-context.ts';
import { heartbeating } from './attempt/heartbeating.ts';
import { createStepProgress } from './attempt/step-progress.ts';
import type { ActivityDependencies } from './dependencies.ts';

/**
 * The context of an attempt of a step: its input, the dependencies of the worker, and the lease that its heartbeats
 * hold.
 */
export interface StepContext extends LeasedContext {
  readonly input: StepInput;
}

/** The context of an attempt of a step of this kind. */
export interface StepContextOf<K extends ActivityKind> extends StepContext {
  readonly input: StepInputOf<K>;
}

/** The work of one kind of step. It may run twice: it looks before it acts, and checks its post-condition. */
export type StepActivity<K extends ActivityKind> = (step: StepContextOf<K>) => Promise<StepResult | undefined>;

/** Makes the activity that Temporal calls: it reads the input, and sends heartbeats while the step works. */
export function createStepActivity<K extends ActivityKind>(
  deps: ActivityDependencies,
  kind: K,
  run: StepActivity<K>,
): (input: StepInput) => Promise<StepResult> {
  return (sent) => {
    const { vnfInstanceId, vnfLcmOpOccId, stepId, round } = sent;
    const input = { vnfInstanceId, vnfLcmOpOccId, stepId, round, ...parseStepInput(kind, { ...sent }) };
    const progress = createStepProgress(deps);
    return heartbeating(async (lease) => {
      const say = (text: string) => {
        lease.say(text);
        progress.say(text);
      };
      return (await run({ deps, input, ...lease, say })) ?? {};
    }).finally(progress.stop);
  };
}
