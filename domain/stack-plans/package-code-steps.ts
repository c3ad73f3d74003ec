import { createPlan, type Plan, type PlanStep, step } from '../operation/plan.ts';

/** The code of a package that an operation runs. */
export interface CodeOfPlan {
  /** True when user data of the package makes what Heat gets. */
  readonly userData?: boolean;
  /** The hook before everything else, and the one after everything else: `scale_start`, `scale_end`. */
  readonly start?: string;
  readonly end?: string;
}

/**
 * A plan with the steps that run code of the package: before all other steps the hook of the start, then user data;
 * after all of them the hook of the end.
 */
export function withPackageCode(plan: Plan, { userData = false, start, end }: CodeOfPlan): Plan {
  const first: PlanStep[] = [];
  if (start !== undefined) first.push(step('runHook', [], { hook: start, part: start }));
  if (userData) first.push(step('runUserData', first.slice(-1)));
  const before = first.slice(-1).map(({ id }) => id);
  const others = plan.steps.map((one) => (one.after.length === 0 ? { ...one, after: before } : one));
  const followed = new Set(others.flatMap(({ after }) => after));
  const leaves = others.filter(({ id }) => !followed.has(id));
  const last =
    end === undefined ? [] : [step('runHook', leaves.length > 0 ? leaves : first.slice(-1), { hook: end, part: end })];
  return first.length + last.length === 0 ? plan : createPlan({ ...plan, steps: [...first, ...others, ...last] });
}
