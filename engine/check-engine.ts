import type { Client } from '@temporalio/client';
import { RECORD_QUEUE, TASK_QUEUE } from '../workflows/contract.ts';

const CHECK_DEADLINE_MS = 2_000;
/** A worker asks Temporal at least once a minute. The server lists a dead one for five minutes. */
const POLLER_GONE_MS = 75_000;
/** Of temporal.api.enums.v1.TaskQueueType. */
const WORKFLOW = 1;
const ACTIVITY = 2;

/** A check of readiness: `look` rejects with a sentence when the thing cannot be used. */
export interface EngineCheck {
  readonly name: 'temporal' | 'workers';
  look(): Promise<void>;
}

/** What operations need of Temporal: its server with the namespace, and workers for each queue. */
export function engineChecks(client: Client): EngineCheck[] {
  return [
    { name: 'temporal', look: () => checkServer(client) },
    { name: 'workers', look: () => checkWorkers(client) },
  ];
}

async function checkServer({ connection, options }: Client): Promise<void> {
  await connection
    .withDeadline(Date.now() + CHECK_DEADLINE_MS, () =>
      connection.workflowService.describeNamespace({ namespace: options.namespace }),
    )
    .catch(() => Promise.reject(new Error('The Temporal server does not answer, or does not have the namespace.')));
}

async function checkWorkers(client: Client): Promise<void> {
  const queues = [
    { name: TASK_QUEUE, taskQueueType: WORKFLOW, tasks: 'workflow tasks' },
    { name: TASK_QUEUE, taskQueueType: ACTIVITY, tasks: 'steps' },
    { name: RECORD_QUEUE, taskQueueType: ACTIVITY, tasks: 'records' },
  ];
  const found = await Promise.all(
    queues.map(async (queue) => ({ ...queue, pollers: await countPollers(client, queue) })),
  ).catch(() => Promise.reject(new Error('The Temporal server did not say which workers there are.')));
  const idle = found.find(({ pollers }) => pollers === 0);
  if (idle) throw new Error(`No worker takes ${idle.tasks} from the queue ${idle.name}: start \`vnflow worker\`.`);
}

async function countPollers(
  { connection, options }: Client,
  { name, taskQueueType }: { name: string; taskQueueType: number },
): Promise<number> {
  const { pollers } = await connection.withDeadline(Date.now() + CHECK_DEADLINE_MS, () =>
    connection.workflowService.describeTaskQueue({ namespace: options.namespace, taskQueue: { name }, taskQueueType }),
  );
  const since = Date.now() - POLLER_GONE_MS;
  return (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > since).length;
}
