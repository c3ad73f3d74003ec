import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { applyEdit } from './broken-checkout.ts';
import { BROKEN_ENGINES } from './table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('at least twenty engines are broken, each in its own way', () => {
  expect(new Set(BROKEN_ENGINES.map(({ name }) => name)).size).toBe(BROKEN_ENGINES.length);
  expect(BROKEN_ENGINES.length).toBeGreaterThanOrEqual(20);
});

it.each(BROKEN_ENGINES)('the sources can still be broken: $name', ({ edits }) => {
  const texts = new Map(edits.map(({ file }) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
  for (const edit of edits) texts.set(edit.file, applyEdit(texts.get(edit.file) ?? '', edit));
  for (const [file, text] of texts) expect(text).not.toBe(readFileSync(path.join(ROOT, file), 'utf8'));
});
