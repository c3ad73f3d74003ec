import { setHandler } from '@temporalio/workflow';
import type { OperationRun } from '../domain/operation/run.ts';
import { stepSummary } from '../domain/steps/index.ts';
import { type PlanView, planQuery, type StepView, stepsQuery } from './contract.ts';
import type { OperationContext } from './operation-context.ts';

/** Answers the queries `plan` and `steps`. A query leaves nothing in the history. */
export function offerQueries(context: OperationContext): void {
  setHandler(planQuery, () => planView(context), {
    description: 'the plan that is followed: its steps and their order',
  });
  setHandler(stepsQuery, () => stepViews(context), {
    description: 'each step of the plan, how it stands, and why it failed',
  });
}

function planView({ run, labels }: OperationContext): PlanView {
  const { operation, state, plan } = run;
  const steps = (plan?.steps ?? []).map((step) => ({
    stepId: step.id,
    summary: stepSummary(step, (slot) => labels.get(slot) ?? slot),
    after: step.after,
  }));
  return { operation, state, ...(plan ? { direction: plan.direction } : {}), steps };
}

function stepViews({ run, labels }: OperationContext): StepView[] {
  return (run.plan?.steps ?? []).map((step) => ({
    stepId: step.id,
    summary: stepSummary(step, (slot) => labels.get(slot) ?? slot),
    condition: run.conditions.get(step.id) ?? 'waiting',
    ...failureIn(run, step.id),
  }));
}

function failureIn({ failures }: OperationRun, stepId: string): Pick<StepView, 'failure'> {
  const found = failures.get(stepId);
  if (!found) return {};
  const { code, detail, seen } = found;
  return { failure: { code, detail, ...(seen === undefined ? {} : { seen }) } };
}
