import { createPlan, type Plan, type PlanStep, type StepArguments, step } from '../operation/plan.ts';
import type { Operation } from '../operations.ts';
import type { StepKind } from '../steps/index.ts';

/** Steps that others wait for. */
export type After = readonly PlanStep[];

/** Servers that are replaced at once: the one of a slot, or several. */
type Replaced = { readonly slot: string } | { readonly servers: readonly string[]; readonly part?: number | string };

/**
 * A plan while it is drawn. All kinds of VNF share the steps that change the stack, so these are methods of the
 * drawing. A kind adds its own steps with `add`.
 */
export class PlanDrawing {
  readonly #steps: PlanStep[] = [];
  /**
   * What the next update of the stack waits for: Heat works on one update at a time, and the new servers must have been
   * discovered.
   */
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
  add<K extends StepKind>(kind: K, after: After, ...options: StepArguments<K>): PlanStep {
    const drawn = step(kind, after, ...options);
    this.#steps.push(drawn);
    return drawn;
  }

  /** Adds those steps of another drawing that this one does not have. */
  addMissing(other: PlanDrawing): void {
    const ids = new Set(this.#steps.map(({ id }) => id));
    this.#steps.push(...other.steps.filter(({ id }) => !ids.has(id)));
  }

  /** @returns the step that discovers the servers */
  createStack(): PlanStep {
    return this.#discoverAfter(this.add('applyStack', []));
  }

  /**
   * Deletes the stack, and creates it again with its template and parameters.
   * @returns the step that discovers the servers
   */
  recreateStack(after: After = []): PlanStep {
    return this.#discoverAfter(this.add('recreateStack', after));
  }

  /** @param servers slots of the new servers @returns the step that discovers them */
  growStack(servers: readonly string[]): PlanStep {
    return this.#discoverAfter(this.add('growStack', [], { servers }));
  }

  /** @param servers slots of the servers that go @returns the step that discovers the servers that stay */
  shrinkStack(after: After, servers: readonly string[]): PlanStep {
    return this.#discoverAfter(this.add('shrinkStack', after, { servers }));
  }

  /**
   * Replaces servers; their ports and volumes stay.
   * @returns the step that discovers the new servers
   */
  replaceServers(after: After, replaced: Replaced): PlanStep {
    const place = 'slot' in replaced ? replaced : { part: replaced.part };
    return this.#discoverAfter(this.add('replaceServers', [...after, ...this.#stackRests], replaced), place);
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

  #discoverAfter(
    changed: PlanStep,
    place: { readonly slot?: string; readonly part?: number | string | undefined } = {},
  ): PlanStep {
    const discovered = this.add('discover', [changed], place);
    this.#stackRests = [discovered];
    return discovered;
  }
}
