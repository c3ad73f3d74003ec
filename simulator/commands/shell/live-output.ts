import { MARK } from './rewrite.ts';

/**
 * Whether output of a command reaches the output of the unit. just-bash returns the output of a script at its end, but
 * the log of a unit must grow while the unit runs, so the simulator listens to each command that writes. The mark of
 * rewrite.ts says where the output goes: one pair of letters per level, from the outermost function call to the command
 * itself.
 */
export function reachesOutput(streams: string, stream: 'out' | 'err'): boolean {
  let at: string = stream === 'out' ? 'o' : 'e';
  for (let index = streams.length - 2; index >= 0; index -= 2) {
    if (at === '-') return false;
    at = (at === 'o' ? streams[index] : streams[index + 1]) ?? '-';
  }
  return at !== '-';
}

export function marksOf(env: ReadonlyMap<string, string> | Readonly<Record<string, string>>): string {
  return (env instanceof Map ? env.get(MARK) : (env as Record<string, string>)[MARK]) ?? '';
}

/** The lines of the whole output that were not written while the script ran: messages of the shell itself. */
export function unseenLines(whole: string, seen: string): string {
  const counts = new Map<string, number>();
  for (const line of seen.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  const lines = whole.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const unseen = lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    return left === 0;
  });
  return unseen.length === 0 ? '' : `${unseen.join('\n')}\n`;
}
