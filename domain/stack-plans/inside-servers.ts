import type { Plan, PlanStep } from '../operation/plan.ts';
import type { After, PlanDrawing } from './plan-drawing.ts';

/**
 * What a kind of VNF does inside the servers. The plan of an operation has the steps of the stack, and joins these to
 * them. `discovered` is the step that finds the addresses of the servers.
 */
export interface InsideServers {
  /** Draws what follows when all servers of a new stack exist. */
  afterStackCreated(drawing: PlanDrawing, discovered: PlanStep): void;
  /** Draws what follows when a scale out has added servers. */
  afterServersAdded(drawing: PlanDrawing, slots: readonly string[], discovered: PlanStep): void;
  /**
   * Draws what precedes the removal of servers by a scale in or by the rollback of a scale out.
   * @returns the steps after which the servers may go
   */
  beforeServersRemoved(drawing: PlanDrawing, slots: readonly string[]): After;
  /** Draws what follows when a scale in, or the rollback of a scale out, has removed servers. */
  afterServersRemoved(drawing: PlanDrawing, slots: readonly string[], removed: Removal): void;
  /**
   * Draws what precedes a heal that deletes the stack and creates it again.
   * @returns the steps after which the stack may go
   */
  beforeStackRecreated(drawing: PlanDrawing, slots: readonly string[]): After;
  /** Draws what follows when a heal has created the stack again. Undefined: as after any new stack. */
  afterStackRecreated?(drawing: PlanDrawing, discovered: PlanStep): void;
  /** Draws the replacement of servers by a heal: its order, and what happens in the servers before and after it. */
  replaceServers(drawing: PlanDrawing, slots: readonly string[]): void;
  /** Draws what changed properties of the VNF change inside its servers, or the way back. */
  reconfigure(drawing: PlanDrawing, slots: readonly string[], direction: Plan['direction']): void;
}

/** Servers that an operation has removed from the stack. */
export interface Removal {
  /** The step that discovers the servers that stay. */
  readonly discovered: PlanStep;
  /** A scale in goes forward; the rollback of a scale out removes servers, too. */
  readonly direction: Plan['direction'];
}
