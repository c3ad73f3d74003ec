import type { StepFailure } from '../domain/operation/activity-contract.ts';
import type { Plan } from '../domain/operation/plan.ts';
import { count, isUnderWay, type OperationRun } from '../domain/operation/run.ts';
import type { StepCondition } from '../domain/operation/step-control.ts';
import { remedyIn } from '../domain/remedy.ts';
import { stepSummary } from '../domain/steps/index.ts';

/** How many running steps are named one by one in the Temporal UI. */
const MOST_NAMED = 12;

export interface DetailFacts {
  /** Slot → how people know the node. */
  readonly labels: ReadonlyMap<string, string>;
  /** What led to the present state. */
  readonly failures: readonly StepFailure[];
}

/** What the Temporal UI shows as "current details", in Markdown: an operator's view, not an engine's. */
export function operationDetails(run: OperationRun, { labels, failures }: DetailFacts): string {
  const { operation, state, plan, cancel } = run;
  const told = isUnderWay(run) ? [...run.failures.values()] : failures;
  return [
    `**${operation}** ${state}`,
    ...(cancel ? [`cancel (${cancel.cancelMode}) by ${cancel.by} is being carried out`] : []),
    ...(plan && isUnderWay(run) ? progressLines(run, plan, labels) : []),
    ...told.flatMap(({ code, detail }) => [`- \`${code}\` ${detail}`, `  ${remedyIn(state, code)}`]),
  ].join('\n');
}

function progressLines(run: OperationRun, plan: Plan, labels: DetailFacts['labels']): string[] {
  const skipped = count(run, 'skipped');
  const done = `${count(run, 'done')} of ${plan.steps.length} steps done${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  const stepsThatAre = (wanted: StepCondition) => plan.steps.filter(({ id }) => run.conditions.get(id) === wanted);
  const running = stepsThatAre('running');
  return [
    `${plan.direction === 'rollback' ? 'rolling back, ' : ''}${done}`,
    ...running.slice(0, MOST_NAMED).map((step) => `- ${stepSummary(step, (slot) => labels.get(slot) ?? slot)}`),
    ...(running.length > MOST_NAMED ? [`- and ${running.length - MOST_NAMED} more`] : []),
    ...stepsThatAre('paused').map(({ id }) => `- paused before \`${id}\`: update \`resume\` with {"stepId": "${id}"}`),
  ];
}
