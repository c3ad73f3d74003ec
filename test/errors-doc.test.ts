import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PROBLEMS } from '../domain/problems.ts';

const errors = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** What people do with a code: written by hand, kept beside the table so that it moves with it. */
const RUNBOOK = readFileSync(fileURLToPath(new URL('testing/runbook.md', import.meta.url)), 'utf8').split('\n');

/** One row per code, as it stands in `domain/problems.ts`. */
function errorsPage(): string {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, title, retriable, remedy }]) =>
      `| \`${code}\` | ${status} | ${title} | ${retriable ? 'by itself' : 'no'} | ${remedy.replaceAll('|', '\\|')} |`,
  );
  return [
    '# Errors',
    '',
    'Generated from `domain/problems.ts` (`npx vitest run test/errors-doc -u`). A code never changes its meaning. It stands',
    'in the member `code` of every problem that the API answers, in `VnfLcmOpOcc.error`, and as the failure type in Temporal.',
    '',
    ...RUNBOOK,
    '| code | status | title | repeated | what to do |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

it('docs/errors.md has every code with its remedy', async () => {
  await expect(errorsPage()).toMatchFileSnapshot(errors);
});
