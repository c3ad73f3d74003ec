import { plainText } from '../plain-text.ts';
import type { Problem, Timeline } from '../vnfm/contract.ts';
import { problemText } from '../vnfm/failure.ts';

/** More failed steps than this are only counted: on 100 nodes the cause is the same as a rule. */
const MOST_STEPS = 3;
const LOG_LINES = 12;

/** Why an operation did not complete: its error, and what the failed steps saw. @returns lines */
export function failureLines({ error, steps }: Timeline): string[] {
  const failed = steps.filter(({ state }) => state === 'FAILED');
  const shown = failed.slice(0, MOST_STEPS).flatMap(({ summary, logTail, error: cause }) => {
    const log = plainText(cause?.seen ?? logTail ?? '').trimEnd();
    return log === ''
      ? []
      : [
          '',
          `${summary}:`,
          ...log
            .split('\n')
            .slice(-LOG_LINES)
            .map((line) => `    ${line}`),
        ];
  });
  const more = failed.length - MOST_STEPS;
  return [
    ...(error ? headLines(error, shown.length > 0) : []),
    ...shown,
    ...(more > 0 ? ['', `… and ${more} more failed steps`] : []),
  ];
}

/** What the steps saw is told with the steps. */
function headLines(error: Problem, toldBySteps: boolean): string[] {
  const { seen: _, ...rest } = error;
  return problemText(toldBySteps ? rest : error).split('\n');
}
