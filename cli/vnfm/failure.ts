import { foreignText } from '../../domain/foreign-text.ts';
import type { Problem } from './contract.ts';

/** An error whose message is meant for the user: the CLI prints it without a stack trace. */
export class CliFailure extends Error {
  /** 4: refused; 5: could not be asked; 1: anything else. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Exit code when what was named is not there, or is more than one, or the API refuses. */
export const REFUSED = 4;
/** Exit code when nobody could be asked: no answer, a login that is refused, or a failure of the API. */
export const NOT_ASKED = 5;

/** The API of vnflow refused a request. */
export class Refused extends CliFailure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problemText(problem), exitCodeOf(problem));
    this.problem = problem;
  }
}

function exitCodeOf({ status = 500 }: Problem): number {
  return status === 401 || status >= 500 ? NOT_ASKED : REFUSED;
}

/** Formats a problem: what happened, its code, what was seen, and the remedy. */
export function problemText({ detail, code, title, seen, remedy }: Problem): string {
  const head = [code ?? title, detail].filter((part) => part !== undefined).join(': ');
  const tail =
    seen === undefined
      ? []
      : [
          '  Seen:',
          ...seen
            .trimEnd()
            .split('\n')
            .map((line) => `    ${line}`),
        ];
  return foreignText([head, ...tail, ...(remedy === undefined ? [] : [`  What to do: ${remedy}`])].join('\n'));
}
