import { hostname } from 'node:os';
import { NativeConnection, type WorkerOptions as TemporalOptions, Worker } from '@temporalio/worker';
import { stepRecorder } from '../activities/attempt/step-recorder.ts';
import { createClearActivity } from '../activities/clear-instance.ts';
import type { ActivityDependencies } from '../activities/dependencies.ts';
import { createLookActivity } from '../activities/look-at-cluster.ts';
import { createAccessActivity } from '../activities/make-kubeconfig.ts';
import { createQuestionActivities, createRecordActivities } from '../activities/records/index.ts';
import { createScheduledActivities } from '../activities/scheduled-work.ts';
import { createStepActivities } from '../activities/steps/index.ts';
import { workerIdentity } from '../engine/task-failure.ts';
import { connectionAccess, type TemporalAccess } from '../engine/temporal-access.ts';
import { RECORD_QUEUE, TASK_QUEUE } from '../workflows/contract.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface WorkerOptions {
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly temporalAccess?: TemporalAccess | undefined;
  /** Directory of workflow bundles. */
  readonly bundleCache: string;
  /** Tests use one queue per file. */
  readonly taskQueue?: string;
  /** Tests stop a worker at the borders of its steps. */
  readonly adapt?: (options: TemporalOptions) => TemporalOptions;
}

export interface RunningWorker {
  /** Rejects when the worker dies. */
  readonly stopped: Promise<void>;
  /**
   * Drains the worker: running activities get the grace time, then they are interrupted, and another worker repeats
   * them.
   */
  stop(): Promise<void>;
}

/** Runs workers until one of them ends; then all are shut down. Rejects with the first error. */
async function runTogether(workers: readonly Worker[]): Promise<void> {
  const runs = workers.map((worker) => worker.run().finally(() => shutDown(workers)));
  const ends = await Promise.allSettled(runs);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** Starts the workers of this process. @throws Error when the Temporal server does not answer */
export async function startWorker(deps: ActivityDependencies, options: WorkerOptions): Promise<RunningWorker> {
  const bundle = await workflowBundle(options.bundleCache);
  const { temporalAddress: address, temporalAccess = {} } = options;
  const connection = await NativeConnection.connect({ address, ...connectionAccess(temporalAccess) });
  const shared = {
    connection,
    namespace: options.namespace,
    identity: workerIdentity({ build: deps.build, pid: process.pid, host: hostname() }),
    workerDeploymentOptions: {
      version: { deploymentName: 'vnflow', buildId: deps.build },
      useWorkerVersioning: false,
    },
    interceptors: { activity: [stepRecorder(deps)] },
    shutdownGraceTime: '3 seconds',
    shutdownForceTime: '15 seconds',
  } satisfies Partial<TemporalOptions>;
  const settings: TemporalOptions = {
    ...shared,
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    workflowBundle: bundle,
    activities: {
      ...createQuestionActivities(deps),
      ...createLookActivity(deps),
      ...createAccessActivity(deps),
      ...createClearActivity(deps),
      ...createStepActivities(deps),
      ...createScheduledActivities(deps),
    },
    maxConcurrentActivityTaskExecutions: 1000,
    maxConcurrentActivityTaskPolls: 10,
    maxCachedWorkflows: 300,
    stickyQueueScheduleToStartTimeout: '3 seconds',
    maxHeartbeatThrottleInterval: '3 seconds',
  };
  const records: TemporalOptions = {
    ...shared,
    taskQueue: RECORD_QUEUE,
    activities: { ...createRecordActivities(deps) },
    maxConcurrentActivityTaskExecutions: 100,
  };
  const workers: Worker[] = [];
  try {
    // one after the other: when the first fails because there is no namespace yet, no second worker is left running
    for (const one of [settings, records]) workers.push(await Worker.create(options.adapt?.(one) ?? one));
  } catch (error) {
    await connection.close().catch(() => {});
    throw error;
  }
  // a dead worker may still hold its connection: the error of closing it must not hide why the worker died
  const stopped = runTogether(workers).finally(() => connection.close().catch(() => {}));
  stopped.catch(() => {}); // the caller awaits it later
  return {
    stopped,
    stop: async () => {
      shutDown(workers);
      await stopped;
    },
  };
}
