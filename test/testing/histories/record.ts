import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import PQueue from 'p-queue';
import { newOperation, type OperationWorld, startOperationWorld } from '../operation-world.ts';
import { type NewHistory, writableHistory, writeHistories } from './history-files.ts';
import { PLANNED_OPERATIONS, type PlannedOperation } from './planned-operations.ts';
import { recordShortWorkflows } from './short-workflows.ts';
import { SITUATIONS, type Situation } from './situations.ts';

/**
 * `npm run record-histories`: brings every operation into every situation, and keeps the histories in
 * `test/histories/unreleased/`. `docs/development.md` says when.
 */
const AT_ONCE = 3;
const TRIES = 6;
const SHORT = 'short-workflows';
/** A workflow that waits has no events on their way after this time. */
const CALM_MS = 200;

/** @param handle of a workflow that has come to rest @returns its history, without the names of this machine */
async function historyOf(handle: WorkflowHandle): Promise<NewHistory['history']> {
  await delay(CALM_MS);
  return writableHistory(await handle.fetchHistory());
}

async function recordSituation(world: OperationWorld, planned: PlannedOperation, { name, play }: Situation) {
  const one = newOperation(planned.operation);
  world.plans.set(one.vnfLcmOpOccId, planned);
  await play({ world, planned, one });
  const handle = world.handle(one);
  return { situation: name, workflowId: handle.workflowId, history: await historyOf(handle) };
}

/** A busy machine may let Temporal answer too late. A situation begins anew then, with another operation. */
async function tryAgain<T>(record: () => Promise<T>, left = TRIES - 1): Promise<T> {
  return record().catch((error: unknown) => (left === 0 ? Promise.reject(error) : tryAgain(record, left - 1)));
}

function keep(name: string, histories: readonly NewHistory[]): void {
  const bytes = writeHistories(name, histories);
  process.stdout.write(`${name}: ${histories.length} histories, ${bytes} bytes\n`);
}

/** @returns the histories of an operation @throws AggregateError naming the situations that could not be recorded */
async function recordOperation(world: OperationWorld, planned: PlannedOperation): Promise<NewHistory[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const fitting = SITUATIONS.filter(({ fits = () => true }) => fits(planned));
  const recorded = await Promise.allSettled(
    fitting.map((situation) => queue.add(() => tryAgain(() => recordSituation(world, planned, situation)))),
  );
  const failed = recorded.flatMap((one, index) =>
    one.status === 'rejected' ? [new Error(`${planned.name}: ${fitting[index]?.name}`, { cause: one.reason })] : [],
  );
  if (failed.length > 0) throw new AggregateError(failed, 'situations could not be recorded');
  return recorded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** @param names operations to be recorded; none: all of them */
async function recordAll(names: readonly string[]): Promise<void> {
  const isWanted = (name: string) => names.length === 0 || names.includes(name);
  const world = await startOperationWorld();
  try {
    for (const planned of PLANNED_OPERATIONS.filter(({ name }) => isWanted(name))) {
      keep(planned.name, await recordOperation(world, planned));
    }
    if (isWanted(SHORT)) keep(SHORT, await recordShortWorkflows(world, historyOf));
  } catch (error) {
    process.stderr.write(`${inspect(error, { depth: 5 })}\n`); // written now: what follows may hide it
    process.exitCode = 1;
  } finally {
    await world.stop();
  }
}

if (import.meta.main) await recordAll(process.argv.slice(2));
