import { foreignText } from '../../domain/foreign-text.ts';
import type { Problem } from './contract.ts';

/** An error whose message is meant for the user: the CLI prints it without a stack trace. */
export class CliFailure extends Error {}

/** The API of vnflow refused a request. */
export class Refused extends CliFailure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problemText(problem));
    this.problem = problem;
  }
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
