import { foreignText } from '../../domain/foreign-text.ts';
import type { Problem, Timeline } from '../vnfm/contract.ts';
import { problemText } from '../vnfm/failure.ts';

/** Failed steps beyond this number are only counted, because many nodes as a rule fail for one cause. */
const MOST_STEPS = 3;
const LOG_LINES = 12;

/** Explains why an operation did not complete: its error, and the logs of the failed steps. @returns lines */
export function failureLines({ id, error, steps }: Timeline): string[] {
  const failed = steps.filter(({ state }) => state === 'FAILED');
  const shown = failed.slice(0, MOST_STEPS).flatMap(({ summary, logTail, error: cause }) => {
    const log = foreignText(cause?.seen ?? logTail ?? '').trimEnd();
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
  const withLog = failed.find(({ logTail }) => logTail);
  return [
    ...(error ? headLines(error, shown.length > 0) : []),
    ...shown,
    ...(withLog === undefined ? [] : ['', `The whole log: vnflow logs ${id} ${withLog.id}`]),
    ...(more > 0 ? ['', `… and ${more} more failed steps`] : []),
  ];
}

/** The lines of the operation's error. Its log lines are left out when the steps show them. */
function headLines(error: Problem, shownBySteps: boolean): string[] {
  const { seen: _, ...rest } = error;
  return problemText(shownBySteps ? rest : error).split('\n');
}
