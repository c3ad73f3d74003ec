import { styleText } from 'node:util';
import type { Plan } from '../vnfm/contract.ts';
import { duration } from './duration.ts';

/** A plan for people: each step with what it waits for and what it will run. @returns lines */
export function planLines(plan: Plan): string[] {
  const critical = new Set(plan.criticalPath);
  const width = Math.max(0, ...plan.steps.map(({ summary }) => summary.length));
  const head = `${plan.operation}: ${plan.steps.length} steps, about ${duration(plan.criticalPathSeconds)} (* = on the critical path)`;
  return [
    styleText('bold', head),
    ...plan.steps.flatMap(({ id, summary, after, commands, expectedSeconds }) => [
      [
        `${critical.has(id) ? '*' : ' '} ${summary.padEnd(width)}  ${duration(expectedSeconds).padStart(12)}`,
        after.length === 0 ? 'at once' : `after ${after.map((other) => summaryOf(plan, other)).join(', ')}`,
      ].join('  '),
      ...commands.map((command) => styleText('dim', `      ${command}`)),
    ]),
  ];
}

function summaryOf(plan: Plan, id: string): string {
  return plan.steps.find((step) => step.id === id)?.summary ?? id;
}
