import { styleText } from 'node:util';

/** One step of a demo, and what it shows, in a line. */
export function step(title: string, explanation: string): void {
  process.stdout.write(`\n${styleText('bold', `── ${title}`)}  ${styleText('dim', explanation)}\n`);
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
