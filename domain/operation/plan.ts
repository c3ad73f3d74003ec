import type { StepInputs, StepKind } from '../steps/index.ts';
import { parseStepInput } from '../steps/parse-step-input.ts';
import type { StepCondition } from './step-control.ts';

/** One unit of work: one activity. Besides these members it has those of its kind's input. */
export type PlanStep = {
  [K in StepKind]: {
    readonly id: string;
    readonly kind: K;
    /** Ids of the steps that must be done first. */
    readonly after: readonly string[];
  } & StepInputs[K];
}[StepKind];

/**
 * The steps that an operation will do. A plan is made once and kept in the history; a later release never changes it.
 */
export interface Plan {
  /** Name of the LCM operation. */
  readonly operation: string;
  readonly direction: 'forward' | 'rollback';
  /** Can the operation be undone? Otherwise: retry or fail. */
  readonly rollbackSupported: boolean;
  readonly steps: readonly PlanStep[];
}

/**
 * Makes a plan, and refuses one that could never end or would leave steps out. The second of two steps with one id
 * would count as done with the first; a step after an unknown one, or in a cycle, would wait for ever.
 * @throws Error naming the steps (a defect of the planner)
 */
export function createPlan(plan: Plan): Plan {
  const ids = new Set<string>();
  for (const { id } of plan.steps) {
    if (ids.has(id)) throw new Error(`The ${plan.operation} plan has two steps with the id ${id}.`);
    ids.add(id);
  }
  for (const { id, after } of plan.steps) {
    const unknown = after.find((earlier) => !ids.has(earlier));
    if (unknown !== undefined)
      throw new Error(`${id} of the ${plan.operation} plan waits for ${unknown}, which it lacks.`);
  }
  const stuck = stepsInCycles(plan.steps);
  if (stuck.length > 0) throw new Error(`Steps of the ${plan.operation} plan wait in a cycle: ${stuck.join(', ')}.`);
  return plan;
}

/**
 * Ids of the steps that are never ready: those in a cycle, and those after one. Every predecessor is a step of the
 * list.
 */
function stepsInCycles(steps: readonly PlanStep[]): string[] {
  const missing = new Map(steps.map(({ id, after }) => [id, new Set(after).size]));
  const next = new Map<string, string[]>();
  for (const { id, after } of steps) {
    for (const earlier of new Set(after)) {
      const followers = next.get(earlier);
      if (followers) followers.push(id);
      else next.set(earlier, [id]);
    }
  }
  const ready = steps.filter(({ after }) => after.length === 0).map(({ id }) => id);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    missing.delete(id);
    for (const later of next.get(id) ?? []) {
      const left = (missing.get(later) ?? 0) - 1;
      missing.set(later, left);
      if (left === 0) ready.push(later);
    }
  }
  return [...missing.keys()];
}

type StepOptions<K extends StepKind> = StepInputs[K] & {
  /** The part of a work that has no slot and is done in several parts: its number, or the first of its slots. */
  readonly part?: number | string | undefined;
};

/** The parts of a step that its id contains. */
interface Place {
  readonly slot?: string | undefined;
  readonly part?: number | string | undefined;
}

/** The input of a step, where its kind has one. */
export type StepArguments<K extends StepKind> = object extends StepInputs[K]
  ? [options?: StepOptions<K>]
  : [options: StepOptions<K>];

/** A step: id is kind and slot, so that a piece of work has one id in all plans. */
export function step<K extends StepKind>(kind: K, after: readonly PlanStep[], ...options: StepArguments<K>): PlanStep {
  const { part, slot, ...input }: Place = options[0] ?? {};
  const place = slot ?? part;
  const suffix = typeof place === 'string' ? place.replace('[', '-').replace(']', '') : place;
  const id = suffix === undefined ? kind : `${kind}-${suffix}`;
  return readStep({ ...input, slot, id, kind, after: after.map((earlier) => earlier.id) });
}

/** A step as the store or a history has it: its own members, and those of its kind's input. */
interface WrittenStep extends Pick<PlanStep, 'id' | 'kind' | 'after'> {
  readonly [member: string]: unknown;
}

/** Reads a step, also one that an older release wrote. @throws TypeError naming the member that does not fit */
export function readStep({ id, kind, after, ...members }: WrittenStep): PlanStep {
  // The compiler does not see that kind and input belong together while the kind is open.
  return { id, kind, after, ...parseStepInput(kind, members) } as PlanStep;
}

/** Steps that wait and whose predecessors are all done or skipped. @param conditionOf how the step of an id stands */
export function readySteps(plan: Plan, conditionOf: (stepId: string) => StepCondition | undefined): PlanStep[] {
  const isOver = (id: string) => ['done', 'skipped'].includes(conditionOf(id) ?? '');
  return plan.steps.filter(({ id, after }) => conditionOf(id) === 'waiting' && after.every(isOver));
}

/** A vertex of a graph of work, for example a step of a plan. */
interface Vertex {
  readonly id: string;
  readonly after: readonly string[];
}

/**
 * The longest way through the plan.
 * @param secondsOf expected duration of a step
 * @throws Error when the plan has a cycle or names a step that it does not have (a defect of the planner)
 */
export function criticalPath<Step extends Vertex>(
  plan: { readonly steps: readonly Step[] },
  secondsOf: (step: Step) => number,
): { seconds: number; steps: Step[] } {
  const byId = new Map(plan.steps.map((entry) => [entry.id, entry]));
  const finish = new Map<string, { seconds: number; previous: string | undefined }>();
  const visiting = new Set<string>();
  const visit = (id: string): number => {
    const known = finish.get(id);
    if (known) return known.seconds;
    const entry = byId.get(id);
    if (!entry || visiting.has(id)) throw new Error(`plan is no graph without cycles at step ${id}`);
    visiting.add(id);
    const latest = entry.after
      .map((earlier) => ({ earlier, seconds: visit(earlier) }))
      .reduce<{ earlier: string | undefined; seconds: number }>((a, b) => (b.seconds > a.seconds ? b : a), {
        earlier: undefined,
        seconds: 0,
      });
    const seconds = latest.seconds + secondsOf(entry);
    finish.set(id, { seconds, previous: latest.earlier });
    return seconds;
  };
  for (const entry of plan.steps) visit(entry.id);
  return {
    seconds: Math.max(0, ...[...finish.values()].map(({ seconds }) => seconds)),
    steps: longestWay(byId, finish),
  };
}

function longestWay<Step extends Vertex>(
  byId: ReadonlyMap<string, Step>,
  finish: ReadonlyMap<string, { seconds: number; previous: string | undefined }>,
): Step[] {
  const way: Step[] = [];
  let at: string | undefined = [...finish].reduce<[string, number] | undefined>(
    (best, [id, { seconds }]) => (best === undefined || seconds > best[1] ? [id, seconds] : best),
    undefined,
  )?.[0];
  while (at !== undefined) {
    const entry = byId.get(at);
    if (!entry) break;
    way.unshift(entry);
    at = finish.get(at)?.previous;
  }
  return way;
}
