import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrokenEngine } from './table.ts';

/** What a copy shares with the checkout: it only takes room. */
const SHARED = new Set(['node_modules', '.vnflow']);
const LEFT_OUT = new Set(['.git', 'test', 'docs', 'bench', 'faults']);

/**
 * Changes the text of a file as an edit says.
 * @throws Error when the text to be replaced does not occur exactly once: the sources have changed, and the row has not
 */
export function applyEdit(text: string, { file, from, to }: BrokenEngine['edits'][number]): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `${file}: "${from}" occurs ${more.length === 0 && after === undefined ? 'nowhere' : 'more than once'}`,
    );
  return `${before}${to}${after}`;
}

/** Makes a copy of the checkout with a broken engine in it. The copy runs with the dependencies of the original. */
export function makeBrokenCheckout(root: string, target: string, { edits }: Pick<BrokenEngine, 'edits'>): void {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(root)) {
    if (LEFT_OUT.has(name)) continue;
    if (SHARED.has(name)) symlinkSync(path.join(root, name), path.join(target, name));
    else cpSync(path.join(root, name), path.join(target, name), { recursive: true });
  }
  for (const edit of edits) {
    const file = path.join(target, edit.file);
    writeFileSync(file, applyEdit(readFileSync(file, 'utf8'), edit));
  }
}
