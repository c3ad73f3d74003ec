import { flushCompileCache } from 'node:module';
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import { pino } from 'pino';
import { z } from 'zod';
import { DEFAULT_BACKUPS } from '../../activities/dependencies.ts';
import { migrateStore } from '../../store/migrate-store.ts';
import { masterKey } from '../../store/seal.ts';
import { composeActivities, composeStored } from '../../worker/composition.ts';
import { installRuntime } from '../../worker/runtime.ts';
import { startTraces } from '../../worker/start-traces.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { readTraceSettings } from '../../worker/trace-settings.ts';
import { BUNDLES } from './temporal.ts';
import { TEST_PACE } from './test-pace.ts';

/**
 * A worker as a process of its own, for tests that kill it. At both borders of every activity it sends a message to its
 * parent, and waits for the answer. The parent kills it with a real SIGKILL. All of it is in interceptors: production
 * code has no hook.
 */
const Settings = z.object({
  storeUrl: z.string(),
  masterKey: z.string(),
  temporalAddress: z.string(),
  bastion: z.object({ host: z.string(), port: z.int(), username: z.string() }),
  /** Workflow bundle with `quick-patience.ts`. */
  codePath: z.string(),
});
export type WorkerSettings = z.infer<typeof Settings>;

/**
 * `before`: nothing is recorded; `started`: recorded as started, nothing done; `done`: done, not recorded; `recorded`:
 * recorded as done in the store, but not yet in Temporal.
 */
const POINTS = ['before', 'started', 'done', 'recorded', 'failed'] as const;
export const Reached = z.object({
  token: z.int(),
  point: z.enum(POINTS),
  activity: z.string(),
  /** The ids of the operation and the step. */
  step: z.string(),
  attempt: z.int(),
});
export type Reached = z.infer<typeof Reached>;
type Point = Reached['point'];

const HEARTBEAT_MS = 200;
const waiting = new Map<number, () => void>();
let token = 0;

function reached(context: Context, args: readonly unknown[], point: Point): Promise<void> {
  const { activityType, attempt, isLocal } = context.info;
  const told = z.looseObject({ vnfLcmOpOccId: z.string(), stepId: z.string().optional() }).parse(args[0]);
  const step = `${told.vnfLcmOpOccId} ${told.stepId ?? activityType}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  token += 1;
  waiting.set(token, resolve);
  const message: Reached = {
    token,
    point,
    activity: isLocal ? `${activityType} (local)` : activityType,
    step,
    attempt,
  };
  process.send?.(message);
  return point === 'failed' ? Promise.resolve() : promise;
}

/** Around the recorder of steps, or inside of it. */
function stopAt(enter: Point, leave: Point): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: async (input, next) => {
        const beating = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), HEARTBEAT_MS);
        try {
          await reached(context, input.args, enter);
          const result = await next(input);
          await reached(context, input.args, leave);
          return result;
        } catch (error) {
          await reached(context, input.args, 'failed');
          throw error;
        } finally {
          clearInterval(beating);
        }
      },
    },
  });
}

function adapted(codePath: string): (options: WorkerOptions) => WorkerOptions {
  return (options) => ({
    ...options,
    workflowBundle: { codePath },
    stickyQueueScheduleToStartTimeout: '500 milliseconds',
    maxHeartbeatThrottleInterval: '300 milliseconds',
    interceptors: {
      activity: [stopAt('before', 'recorded'), ...(options.interceptors?.activity ?? []), stopAt('started', 'done')],
    },
  });
}

const nextMessage = () => new Promise<unknown>((resolve) => process.once('message', resolve));

async function run(): Promise<void> {
  const settings = Settings.parse(await nextMessage()); // not as an argument: the key would be in the process list
  const { storeUrl, masterKey: key, temporalAddress, bastion, codePath } = settings;
  const log = pino({ level: process.env['VNFLOW_TEST_LOG'] ?? 'silent' });
  installRuntime(log);
  const stored = composeStored({
    store: { kind: 'postgres', url: storeUrl },
    masterKey: masterKey({ VNFLOW_MASTER_KEY: key }, '/nowhere'),
  });
  await migrateStore(stored.db);
  await startTraces(readTraceSettings(process.env), { build: 'test', log });
  flushCompileCache(); // the test kills this process: it would not write the cache at its end
  process.send?.('ready');
  await nextMessage(); // a spare worker waits here
  process.on('message', (answered) => {
    const resolve = waiting.get(Number(answered));
    waiting.delete(Number(answered));
    resolve?.();
  });
  const configuration = {
    bastion,
    backups: DEFAULT_BACKUPS,
    registryCopyLimitBytes: 64 * 1024 * 1024,
    allowPackageCode: false,
    build: 'test',
    bootLimitSeconds: undefined,
    vimHosts: { trusted: ['127.0.0.1'] },
  };
  const worker = await startWorker(composeActivities(stored, { configuration, log, pace: TEST_PACE }), {
    temporalAddress,
    namespace: 'default',
    bundleCache: BUNDLES,
    adapt: adapted(codePath),
  });
  process.send?.('running');
  await worker.stopped;
}

if (import.meta.main) await run();
