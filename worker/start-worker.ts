import { NativeConnection, type WorkerOptions as TemporalOptions, Worker } from '@temporalio/worker';
import type { ActivityDependencies } from '../activities/dependencies.ts';
import { createGrantActivity } from '../activities/grant.ts';
import { createLookActivity } from '../activities/look.ts';
import { createRecordActivities } from '../activities/record.ts';
import { stepRecorder } from '../activities/step-recorder.ts';
import { createStepActivities } from '../activities/steps.ts';
import { createSurveyActivity } from '../activities/survey.ts';
import { TASK_QUEUE } from '../workflows/contract.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface WorkerOptions {
  readonly temporalAddress: string;
  readonly namespace: string;
  /** Where workflow bundles are kept. */
  readonly bundleCache: string;
  /** Tests use one queue per file. */
  readonly taskQueue?: string;
  /** Tests stop a worker at the borders of its steps. */
  readonly adapt?: (options: TemporalOptions) => TemporalOptions;
}

export interface RunningWorker {
  /** Rejects when the worker dies. */
  readonly stopped: Promise<void>;
  /** Drains: running activities get the grace time, then are interrupted and go on elsewhere. */
  stop(): Promise<void>;
}

/** @throws Error when the Temporal server does not answer */
export async function startWorker(deps: ActivityDependencies, options: WorkerOptions): Promise<RunningWorker> {
  const bundle = await workflowBundle(options.bundleCache);
  const connection = await NativeConnection.connect({ address: options.temporalAddress });
  const settings: TemporalOptions = {
    connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    workflowBundle: bundle,
    activities: {
      ...createRecordActivities(deps),
      ...createGrantActivity(deps),
      ...createSurveyActivity(deps),
      ...createLookActivity(deps),
      ...createStepActivities(deps),
    },
    interceptors: { activity: [stepRecorder(deps)] },
    maxConcurrentActivityTaskExecutions: 1000,
    maxConcurrentActivityTaskPolls: 10,
    maxCachedWorkflows: 300,
    stickyQueueScheduleToStartTimeout: '3 seconds',
    shutdownGraceTime: '3 seconds',
    shutdownForceTime: '15 seconds',
    maxHeartbeatThrottleInterval: '3 seconds',
  };
  const worker = await Worker.create(options.adapt?.(settings) ?? settings);
  const stopped = worker.run().finally(() => connection.close());
  return {
    stopped,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await stopped;
    },
  };
}
