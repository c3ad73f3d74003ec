import type { StepInput, StepResult } from '../domain/operation/activity-contract.ts';
import { type Beat, heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** What an attempt of a step works with: its input, the dependencies of the worker, and the lease that its heartbeats hold. */
export interface StepContext extends Beat {
  readonly deps: ActivityDependencies;
  readonly input: StepInput;
}

/** The work of one kind of step. It may run twice: it looks before it acts, and checks its post-condition. */
export type StepActivity = (step: StepContext) => Promise<StepResult | undefined>;

/** Makes the activity that Temporal calls: it sends heartbeats while the step works. */
export function createStepActivity(
  deps: ActivityDependencies,
  run: StepActivity,
): (input: StepInput) => Promise<StepResult> {
  return (input) => heartbeating(async (beat) => (await run({ deps, input, ...beat })) ?? {});
}
