import type { Plan } from './plan.ts';
import type { StepCondition } from './step-control.ts';
import type { StepFailure } from './step-failure.ts';

/** How far an operation came before its workflow was lost, as the store knows it. */
export interface OperationProgress {
  /** Number of the newest record. */
  readonly seq: number;
  readonly round: number;
  readonly rollbackSupported: boolean;
  /** Undefined when the operation was lost before it was planned. */
  readonly forward?: Plan;
  /** Undefined when no rollback was begun. */
  readonly rollback?: Plan;
  /** The state of each step of the plan that was followed, by step id. */
  readonly conditions: Readonly<Record<string, StepCondition>>;
  /** The failures of failed steps, by step id. */
  readonly failures: Readonly<Record<string, StepFailure>>;
  /** Why the workflow was lost. */
  readonly lost: StepFailure;
  /** What an operator does next about it. */
  readonly remedy: string;
  /** Slot → label of the node for people, for example `worker57 (10.10.0.57)`. */
  readonly labels: Readonly<Record<string, string>>;
}
