import type { AxiosResponse } from 'axios';
import { expect } from 'vitest';
import { type CrashingWorkers, startCrashingWorkers } from './crashing-workers.ts';
import { misdeeds } from './ledger-judge.ts';
import { operationOf, settled } from './system.ts';
import { type SystemOfWorkers, startSystemOfWorkers } from './system-of-workers.ts';

/** Steps whose job on a node is cut off, too: a worker is killed while the job runs. */
const STEPS_WITH_JOBS =
  /^(prepareNode|loadBalancer|initControlPlane|installCni|joinControlPlane|joinWorker|prepareRegistry|startRegistry)-/;

const MOST_TRIES = 4;

/** A system whose workers are killed (-9) one after another, each at the next border of a step. */
export interface KilledWorkers extends Pick<SystemOfWorkers, 'http' | 'simulator'> {
  /** Kills so far. */
  blows(): number;
  /** Runs an operation, judges what it did to the cloud, and checks that a worker was killed at each of its borders. */
  survives(request: () => Promise<AxiosResponse>): Promise<void>;
  stop(): Promise<void>;
}

export async function startKilledWorkers(): Promise<KilledWorkers> {
  const system = await startSystemOfWorkers();
  const crashing = { by: 'SIGKILL', seed: 1, jobs: system.jobs } as const;
  const workers = await startCrashingWorkers(system.workerSettings, crashing).catch(async (error: unknown) => {
    await system.stop();
    throw error;
  });
  const { http, simulator } = system;
  return {
    http,
    simulator,
    blows: () => workers.blows(),
    survives: (request) => survive(system, workers, request),
    stop: async () => {
      await workers.stop();
      await system.stop();
    },
  };
}

async function survive(
  { http, simulator }: SystemOfWorkers,
  workers: CrashingWorkers,
  request: () => Promise<AxiosResponse>,
): Promise<void> {
  const seq = simulator.ledger.entries().at(-1)?.seq ?? 0;
  const operation = operationOf(await repeatUntilTaken(request));
  const ended = await settled(http, operation, { timeoutMs: 380_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  expect(misdeeds(simulator, simulator.ledger.entries(seq))).toEqual([]);
  const all = await listBorders(http, operation);
  await expect.poll(() => all.filter((border) => !workers.struck.has(border)), { timeout: 20_000 }).toEqual([]);
}

/** While no worker lives, vnflow answers 503 with Retry-After; a client repeats its request. */
async function repeatUntilTaken(request: () => Promise<AxiosResponse>): Promise<AxiosResponse> {
  for (let tries = 1; ; tries += 1) {
    const answer = await request();
    if (answer.status !== 503 || tries === MOST_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers['retry-after']) * 1000));
  }
}

/** The steps of an operation that ended, and the borders of each at which a worker had to die. */
async function listBorders(http: SystemOfWorkers['http'], operation: string): Promise<string[]> {
  const opOccId = operation.split('/').at(-1) ?? '';
  const { data } = await http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  return data.steps.flatMap(({ id: step }: { id: string }) =>
    ['before', 'after', ...(STEPS_WITH_JOBS.test(step) ? ['during'] : [])].map((side) => `${opOccId} ${step} ${side}`),
  );
}
