import { randomBytes } from 'node:crypto';
import { readTraceSettings } from '../../worker/trace-settings.ts';
import { startSharedStore } from './shared-store.ts';
import { type System, startSystem } from './system.ts';
import { startTestTemporal } from './temporal.ts';
import type { WorkerSettings } from './worker-process.ts';
import { quickWorkflows } from './workers.ts';

/** The system whose workers are processes of their own, which the test starts. */
export interface SystemOfWorkers extends System {
  readonly workerSettings: WorkerSettings;
  /** Jobs that were started on nodes so far: `{operation} {step}`. Tokens are minted anew by each attempt: one job. */
  jobs(): string[];
}

/**
 * Temporal notices a lost workflow task after two seconds instead of ten. A worker that has not polled for five seconds
 * instead of sixty gets no work.
 */
const QUICK_TEMPORAL = {
  'history.defaultWorkflowTaskTimeout': '"2s"',
  'matching.longPollExpirationInterval': '"5s"',
  'history.timerProcessorMaxTimeShift': '"10ms"',
};

export async function startSystemOfWorkers(): Promise<SystemOfWorkers> {
  const key = randomBytes(32);
  const [store, temporal, codePath] = await Promise.all([
    startSharedStore(),
    startTestTemporal(QUICK_TEMPORAL),
    quickWorkflows(),
  ]);
  const system = await startSystem({
    temporal,
    store: { kind: 'postgres', url: store.url },
    masterKey: key,
    worker: false,
    traces: readTraceSettings(process.env), // its workers have the same environment
  });
  const { simulator } = system;
  const { host, port, user: username } = simulator.bastion;
  return {
    ...system,
    workerSettings: {
      storeUrl: store.url,
      masterKey: key.toString('base64'),
      temporalAddress: temporal.address,
      bastion: { host, port, username },
      codePath,
    },
    jobs: () =>
      simulator.ledger
        .entries()
        .filter(({ kind }) => kind === 'phase')
        .flatMap(({ detail }) => {
          const unit = /^vnflow-([0-9a-f-]{36})-(.+?)(-credentials-\d+)?-\d+$/.exec(String(detail?.['unit']));
          return unit ? [`${unit[1]} ${unit[2]}`] : [];
        }),
    stop: async () => {
      await system.stop();
      await store.stop();
    },
  };
}
