import { type Command, InvalidArgumentError } from 'commander';
import { foreignText } from '../../domain/foreign-text.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import type { TimelineStep } from '../vnfm/contract.ts';
import { findOperation, findStep } from '../vnfm/find-operation.ts';
import { stepLogOf, timelineOf } from '../vnfm/operations.ts';
import { dataOption, OPERATION_WORDS } from './options.ts';

const WAIT_SECONDS = 20;

interface Options {
  readonly data: string;
  readonly follow?: boolean;
  readonly attempt?: number;
  readonly tail?: number;
}

/** Adds the command that prints the log of a step. */
export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .description('print the whole log of a step of an operation')
    .argument('<operation>', OPERATION_WORDS)
    .argument('<step>', 'id of the step (`vnflow ops steps`), or name of a node for its newest step')
    .option('-f, --follow', 'go on while the step runs')
    .option('--attempt <number>', 'of this attempt (the newest)', parseNumber)
    .option('--tail <lines>', 'only the last lines', parseNumber)
    .addOption(dataOption())
    .action(printLog);
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number, 1 or more.');
}

async function printLog(typed: string, typedStep: string, { data, tail, ...which }: Options): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, data));
  const opOccId = await findOperation(vnfm, typed);
  const step = findStep(await timelineOf(vnfm, opOccId), typedStep);
  let held: string | undefined = tail === undefined ? undefined : '';
  let isEmpty = true;
  for await (const text of partsOf(vnfm, { opOccId, stepId: step.id }, which)) {
    isEmpty &&= text === '';
    if (held === undefined) process.stdout.write(foreignText(text));
    else if (text !== '') held += text;
    else {
      process.stdout.write(lastLines(foreignText(held), tail ?? 0));
      held = undefined;
    }
  }
  if (held) process.stdout.write(lastLines(foreignText(held), tail ?? 0));
  if (isEmpty) process.stderr.write(`${emptyLine(step)}\n`);
}

/** Reads a log part by part. An empty part: nothing more is there at the moment. */
async function* partsOf(
  vnfm: Vnfm,
  step: { readonly opOccId: string; readonly stepId: string },
  { follow = false, attempt }: Pick<Options, 'follow' | 'attempt'>,
): AsyncGenerator<string> {
  let isCaughtUp = false;
  for (let after = 0; ; ) {
    const wait = follow && isCaughtUp ? WAIT_SECONDS : 0;
    const { text, next, running } = await stepLogOf(vnfm, step, { after, wait, ...(attempt ? { attempt } : {}) });
    yield text;
    isCaughtUp = text === '';
    if (isCaughtUp ? !(follow && running) : next === after) return;
    after = next;
  }
}

function emptyLine({ id, state, attempt, error, progress }: TimelineStep): string {
  const why = error?.detail ?? progress ?? (attempt === 0 ? 'it has not begun' : 'it runs no script on a node');
  return foreignText(`${id} (${state}) has no log: ${why}`);
}

function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count).join('\n');
  return lines === '' ? '' : `${lines}\n`;
}
