import { styleText } from 'node:util';

/** Prints the title of a step of the demo, and a line that explains it. */
export function step(title: string, explanation: string): void {
  process.stdout.write(`\n${styleText('bold', `── ${title}`)}  ${styleText('dim', explanation)}\n`);
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
