import type { Plan } from '../domain/operation/plan.ts';
import { count, isUnderWay, type OperationRun } from '../domain/operation/run.ts';
import type { StepCondition } from '../domain/operation/step-control.ts';
import type { StepFailure } from '../domain/operation/step-failure.ts';
import { stepSummary } from '../domain/steps/index.ts';

/** How many running steps are named one by one in the Temporal UI. */
const MOST_NAMED = 12;
/** How much of the output of a failed step is shown. */
const MOST_OUTPUT_LINES = 10;
const LONGEST_LINE = 200;

export interface DetailFacts {
  /** By slot: the label of its node, for people. */
  readonly labels: ReadonlyMap<string, string>;
  /** The failures that led to the present state. */
  readonly failures: readonly StepFailure[];
  /** What an operator does next about the first of these failures. */
  readonly remedy: string | undefined;
}

/** Makes the "current details" of the workflow in the Temporal UI, as Markdown for operators. */
export function operationDetails(run: OperationRun, { labels, failures, remedy }: DetailFacts): string {
  const { operation, state, plan, cancel } = run;
  const underWay = isUnderWay(run);
  const shown = underWay ? [...run.failures.values()] : failures;
  return [
    `**${operation}** ${state}`,
    ...(cancel ? [`cancel (${cancel.cancelMode}) by ${cancel.by} is being carried out`] : []),
    ...(plan && underWay ? progressLines(run, plan, labels) : []),
    ...shown.flatMap(failureLines),
    ...(remedy === undefined || underWay ? [] : ['', remedy]),
  ].join('\n');
}

/** A failure with the end of what was seen, for example the output of a command, and the update that repeats its step. */
function failureLines({ stepId, code, detail, seen }: StepFailure): string[] {
  const output = seen?.trimEnd().split('\n').slice(-MOST_OUTPUT_LINES) ?? [];
  return [
    `- \`${code}\` ${detail}`,
    ...(output.length === 0 ? [] : ['', ...output.map((line) => `      ${line.slice(0, LONGEST_LINE)}`), '']),
    ...(stepId === undefined || stepId === 'grant' ? [] : [`  update \`retryStep\` with {"stepId": "${stepId}"}`]),
  ];
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
