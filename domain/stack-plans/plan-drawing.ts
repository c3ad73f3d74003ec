import { createPlan, type Plan, type PlanStep, step } from '../operation/plan.ts';
import type { Operation } from '../operations.ts';
import type { StepKind } from '../steps/index.ts';

/** Steps that others wait for. */
export type After = readonly PlanStep[];

type StepOptions = NonNullable<Parameters<typeof step>[2]> & Pick<PlanStep, 'backupId'>;

/**
 * A plan while it is drawn. The steps that change the stack are the same for every kind of VNF, so they are methods of the
 * drawing; a kind adds its own steps with `add`.
 */
export class PlanDrawing {
  readonly #steps: PlanStep[] = [];
  /** What the next update of the stack waits for: Heat works on one at a time, and the new servers must be known. */
  #stackRests: After = [];

  /** Steps in the order in which they were drawn. */
  get steps(): readonly PlanStep[] {
    return this.#steps;
  }

  /** What the next update of the stack waits for. */
  get stackRests(): After {
    return this.#stackRests;
  }

  /** Draws a step. @param after the steps that must be done first */
  add(kind: StepKind, after: After, { backupId, ...options }: StepOptions = {}): PlanStep {
    const drawn = { ...step(kind, after, options), ...(backupId === undefined ? {} : { backupId }) };
    this.#steps.push(drawn);
    return drawn;
  }

  /** Adds those steps of another drawing that this one does not have. */
  addMissing(other: PlanDrawing): void {
    const ids = new Set(this.#steps.map(({ id }) => id));
    this.#steps.push(...other.steps.filter(({ id }) => !ids.has(id)));
  }

  /** @returns the step after which the servers are known */
  createStack(): PlanStep {
    return this.#discoverAfter(this.add('applyStack', []));
  }

  /** Deletes the stack, and creates it with the same template and parameters. @returns the step after which the servers are known */
  recreateStack(): PlanStep {
    return this.#discoverAfter(this.add('recreateStack', []));
  }

  /** @param slots of the new servers @returns the step after which they are known */
  growStack(slots: readonly string[]): PlanStep {
    return this.#discoverAfter(this.add('growStack', [], { slots }));
  }

  /** @param slots of the servers that go @returns the step after which those that stay are known */
  shrinkStack(after: After, slots: readonly string[]): PlanStep {
    return this.#discoverAfter(this.add('shrinkStack', after, { slots }));
  }

  /**
   * Replaces servers; their ports and volumes stay.
   * @param place.slots of the servers; absent when `place.slot` names the only one
   * @returns the step after which the new servers are known
   */
  replaceServers(after: After, { slots, ...place }: Omit<StepOptions, 'backupId' | 'seconds'>): PlanStep {
    const which = slots === undefined ? place : { ...place, slots };
    return this.#discoverAfter(this.add('replaceServers', [...after, ...this.#stackRests], which), place);
  }

  /** Deletes the stack, and what is stored about its servers. */
  deleteStack(after: After = []): void {
    this.add('forgetCluster', [this.add('deleteStack', after)]);
  }

  /**
   * The finished plan. Its steps stand in the order in which they can begin.
   * @param rollbackSupported can the operation be undone, if this is its plan?
   */
  plan(
    operation: Operation,
    direction: Plan['direction'],
    { rollbackSupported }: Pick<Plan, 'rollbackSupported'>,
  ): Plan {
    const depths = new Map<string, number>();
    for (const { id, after } of this.#steps) {
      depths.set(id, 1 + Math.max(0, ...after.map((earlier) => depths.get(earlier) ?? 0)));
    }
    const steps = this.#steps.toSorted((a, b) => (depths.get(a.id) ?? 0) - (depths.get(b.id) ?? 0));
    return createPlan({ operation, direction, rollbackSupported, steps });
  }

  #discoverAfter(changed: PlanStep, place: Pick<StepOptions, 'slot' | 'part'> = {}): PlanStep {
    const discovered = this.add('discover', [changed], place);
    this.#stackRests = [discovered];
    return discovered;
  }
}
