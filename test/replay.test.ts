import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import * as workflows from '../workflows/index.ts';
import { readHistories } from './testing/histories/history-files.ts';
import { PLANNED_OPERATIONS } from './testing/histories/planned-operations.ts';
import { SITUATIONS } from './testing/histories/situations.ts';
import { installQuietRuntime, testBundle } from './testing/temporal.ts';

const histories = readHistories();

const MOST_NAMED = 30;

/** What a developer reads when a change of the code would strand operations. */
function warning(stranded: readonly string[]): string {
  const named = stranded.slice(0, MOST_NAMED).map((one) => `  ${one}\n`);
  const more = stranded.length > MOST_NAMED ? `  and ${stranded.length - MOST_NAMED} more\n` : '';
  return `This build cannot continue ${stranded.length} of ${histories.length} recorded operations:
${named.join('')}${more}
An upgrade would strand such operations. A change of the order in which a workflow starts activities, timers and records
stands behind patched(), or in a new workflow type: docs/development.md, "A change of workflow code".`;
}

/** The sentence of the SDK that says which command does not fit, out of its nested report. */
function reasonIn({ message }: Error): string {
  return /\[TMPRL\d+\] [^"]*/.exec(message)?.[0] ?? message.split('\n')[0] ?? '';
}

it('continues every operation that an earlier build began, in every situation in which an upgrade may find it', async () => {
  installQuietRuntime();
  const results = Worker.runReplayHistories({ workflowBundle: await testBundle() }, histories);
  const stranded: string[] = [];
  let at = 0;
  for await (const { error } of results) {
    if (error) stranded.push(`${histories[at]?.name}: ${reasonIn(error)}`);
    at += 1;
  }
  expect(at).toBe(histories.length);
  if (stranded.length > 0) expect.fail(warning(stranded));
}, 300_000);

it('has histories of every operation in every situation, and of every other workflow', () => {
  const recorded = histories.map(({ name }) => name.slice(name.indexOf('/') + 1));
  const wanted = PLANNED_OPERATIONS.flatMap((planned) =>
    SITUATIONS.filter(({ fits = () => true }) => fits(planned)).map(({ name }) => `${planned.name}: ${name}`),
  );
  expect(wanted.filter((name) => !recorded.includes(name))).toEqual([]);
  const types = new Set(histories.map(({ workflowType }) => workflowType));
  expect(Object.keys(workflows).filter((type) => !types.has(type))).toEqual([]);
});
