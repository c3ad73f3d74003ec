import type { StepResult } from '../../domain/operation/activity-contract.ts';
import type { Plan } from '../../domain/operation/plan.ts';
import { VnflowError } from '../../domain/problems.ts';
import { slotsOf } from '../../domain/steps/index.ts';
import * as planning from '../../planning/make-plan.ts';
import { findPlan, keepPlan } from '../../store/operation-plans.ts';
import { readPlanQuestion } from '../facts/plan-question.ts';
import { readLabels } from '../node/node-labels.ts';
import type { RecordContext } from './record-context.ts';

type Context = RecordContext<'makePlan'>;

/**
 * Makes the plan of a direction and keeps it. When an earlier run of this activity has kept a plan, that plan is
 * returned.
 * @returns the plan, with the labels of its nodes that exist already
 * @throws VnflowError when the operation cannot be carried out, or cannot be undone
 */
export async function makePlan(context: Context): Promise<Plan & StepResult> {
  const { deps, input } = context;
  const plan = (await findPlan(deps.db, input.vnfLcmOpOccId, input.direction)) ?? (await makeNewPlan(context));
  const named = [...new Set(plan.steps.flatMap(slotsOf))];
  return { ...plan, labels: await readLabels(deps.db, input.vnfInstanceId, named) };
}

async function makeNewPlan(context: Context): Promise<Plan> {
  const { deps, input } = context;
  const { plan: forward, rollback } = await planning.makePlan(deps, await readPlanQuestion(context));
  const plan = input.direction === 'rollback' ? rollback : forward;
  if (!plan) throw new VnflowError('INTERNAL', { detail: `Operation ${input.vnfLcmOpOccId} cannot be undone.` });
  return keepPlan(deps.db, input.vnfLcmOpOccId, plan);
}
