import type { StepFailure } from '../domain/activity-contract.ts';
import type { Operation, OperationState } from '../domain/operation-state.ts';
import type { Plan } from '../domain/plan.ts';
import { PROBLEMS } from '../domain/problems.ts';
import { stepSummary } from '../domain/step-kind.ts';
import type { Progress } from './executor.ts';

/** How many running steps are named one by one in the Temporal UI. */
const MOST_NAMED = 12;

interface Details {
  readonly operation: Operation;
  readonly state: OperationState;
  readonly plan?: Plan;
  readonly progress?: Progress;
  readonly failures: readonly StepFailure[];
}

/** What the Temporal UI shows as "current details", in Markdown: an operator's view, not an engine's. */
export function operationDetails({ operation, state, plan, progress, failures }: Details): string {
  const lines = [`**${operation}** ${state}`];
  if (plan && progress) {
    lines.push(
      `${plan.direction === 'rollback' ? 'rolling back, ' : ''}${progress.done.size} of ${plan.steps.length} steps done`,
    );
    const running = [...progress.running.values()];
    for (const step of running.slice(0, MOST_NAMED)) {
      const node = step.slot === undefined ? undefined : (progress.labels.get(step.slot) ?? step.slot);
      lines.push(`- ${stepSummary(step.kind, node)}`);
    }
    if (running.length > MOST_NAMED) lines.push(`- and ${running.length - MOST_NAMED} more`);
  }
  for (const failure of failures) {
    lines.push(`- \`${failure.code}\` ${failure.detail}`, `  ${PROBLEMS[failure.code].remedy}`);
  }
  return lines.join('\n');
}
