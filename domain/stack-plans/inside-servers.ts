import type { Plan, PlanStep } from '../operation/plan.ts';
import type { After, PlanDrawing } from './plan-drawing.ts';

/**
 * What a kind of VNF does inside the servers. The plan of an operation has the steps of the stack, and joins these to them.
 * `discovered` is the step after which the addresses of the servers are known.
 */
export interface InsideServers {
  /** All servers of a new stack are there. */
  afterStackCreated(drawing: PlanDrawing, discovered: PlanStep): void;
  /** A scale out has added servers. */
  afterServersAdded(drawing: PlanDrawing, slots: readonly string[], discovered: PlanStep): void;
  /** A scale in, or the rollback of a scale out, removes servers. @returns the steps after which the servers may go */
  beforeServersRemoved(drawing: PlanDrawing, slots: readonly string[]): After;
  /** A scale in, or the rollback of a scale out, has removed servers. */
  afterServersRemoved(drawing: PlanDrawing, slots: readonly string[], removed: Removal): void;
  /** A heal replaces servers: in which order, and what happens in them before and after that. */
  replaceServers(drawing: PlanDrawing, slots: readonly string[]): void;
}

/** Servers that an operation has removed from the stack. */
export interface Removal {
  /** The step after which the servers that stay are known. */
  readonly discovered: PlanStep;
  /** A scale in goes forward; the rollback of a scale out removes servers, too. */
  readonly direction: Plan['direction'];
}
