import { plainText } from '../plain-text.ts';
import type { Problem } from './contract.ts';

/** Something to tell a person in plain words: no stack is printed. */
export class CliFailure extends Error {}

/** vnflow's API refused. */
export class Refused extends CliFailure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problemText(problem));
    this.problem = problem;
  }
}

/** What happened, the code to search for, what was seen, what to do. */
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
  return plainText([head, ...tail, ...(remedy === undefined ? [] : [`  What to do: ${remedy}`])].join('\n'));
}
