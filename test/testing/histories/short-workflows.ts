import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { SCHEDULED_WORKFLOWS } from '../../../domain/operation/activity-contract.ts';
import { ACCESS_WORKFLOW, CLEAR_WORKFLOW, LOOK_WORKFLOW } from '../../../workflows/contract.ts';
import type { OperationWorld } from '../operation-world.ts';
import { testBundle } from '../temporal.ts';
import { until } from '../until.ts';
import type { NewHistory } from './history-files.ts';

const QUEUE = 'short-workflows';

/** The workflows that are no operations: each is one activity. */
const SHORT_WORKFLOWS = [CLEAR_WORKFLOW, LOOK_WORKFLOW, ACCESS_WORKFLOW, ...Object.values(SCHEDULED_WORKFLOWS)];

/** Records each short workflow while its activity runs, and when it has ended. */
export async function recordShortWorkflows(
  { client, temporal }: OperationWorld,
  historyOf: (handle: WorkflowHandle) => Promise<NewHistory['history']>,
): Promise<NewHistory[]> {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const work = async ({ vnfInstanceId }: { vnfInstanceId: string }) => {
    if (vnfInstanceId === 'held') await released;
    return 'done';
  };
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    workflowBundle: await testBundle(),
    activities: {
      clearInstance: work,
      lookAtCluster: work,
      makeKubeconfig: work,
      snapshotOnSchedule: work,
      labelOnSchedule: work,
      renewVimTokenOnSchedule: work,
    },
  });
  const run = worker.run();
  const histories: NewHistory[] = [];
  try {
    for (const type of SHORT_WORKFLOWS) {
      const start = (vnfInstanceId: string) =>
        client.workflow.start(type, {
          taskQueue: QUEUE,
          workflowId: `${type}/${vnfInstanceId}`,
          args: [{ vnfInstanceId }],
        });
      const held = await start('held');
      const pending = async () => (await held.describe()).raw.pendingActivities?.[0]?.state;
      await until('the activity runs', pending, (state) => state !== undefined);
      histories.push({ situation: `${type}, running`, workflowId: held.workflowId, history: await historyOf(held) });
      const ended = await start('ended');
      await ended.result();
      histories.push({ situation: `${type}, ended`, workflowId: ended.workflowId, history: await historyOf(ended) });
    }
    return histories;
  } finally {
    release();
    worker.shutdown();
    await run;
    await connection.close();
  }
}
