import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  OperationInput,
  RecordActivities,
  StateRecord,
  StepActivities,
  StepInput,
} from '../domain/activity-contract.ts';
import { planInstantiate, planInstantiateRollback } from '../domain/planner/instantiate.ts';
import { planTerminate } from '../domain/planner/terminate.ts';
import { STEP_KINDS } from '../domain/step-kind.ts';
import type { TemporalServer } from '../worker/temporal-server.ts';
import { controlOperation, startOperation } from '../workflows/client.ts';
import { TASK_QUEUE, workflowId } from '../workflows/contract.ts';
import { startTestTemporal, testBundle } from './testing/temporal.ts';

/** The world as the activities of these tests see it: what ran, what was recorded, and what fails next. */
const ran: StepInput[] = [];
const recorded = new Map<string, string[]>();
const failOnce = new Map<string, { type: string; message: string }>();
let grantRefused = false;
let release: (() => void) | undefined;
let held: Promise<void> | undefined;

const note = (id: string, what: string) => recorded.set(id, [...(recorded.get(id) ?? []), what]);
const record: RecordActivities = {
  recordAccepted: async ({ vnfLcmOpOccId }) => void note(vnfLcmOpOccId, 'STARTING'),
  requestGrant: async () => {
    if (grantRefused) throw ApplicationFailure.nonRetryable('no quota', 'VIM_REJECTED');
  },
  surveyControlPlane: async () => {},
  makePlan: async ({ direction, vnfInstanceId }) => {
    if (direction === 'rollback') return planInstantiateRollback();
    if (vnfInstanceId.startsWith('f')) return planTerminate({ terminationType: 'FORCEFUL' });
    return planInstantiate({
      controlPlane: { vduId: 'masterNode', count: 1 },
      workers: { vduId: 'workerNode', count: 2 },
      loadBalanced: false,
    });
  },
  recordState: async ({ vnfLcmOpOccId, state, failure }: StateRecord) =>
    void note(vnfLcmOpOccId, failure ? `${state} ${failure.code} ${failure.stepId} ${failure.detail}` : state),
  recordEnd: async ({ vnfLcmOpOccId, direction }) =>
    void note(vnfLcmOpOccId, direction === 'forward' ? 'COMPLETED' : 'ROLLED_BACK'),
};
const steps = Object.fromEntries(
  Object.keys(STEP_KINDS).map((kind) => [
    kind,
    async (input: StepInput) => {
      await held;
      ran.push(input);
      const failure = failOnce.get(input.stepId);
      failOnce.delete(input.stepId);
      if (failure) throw ApplicationFailure.nonRetryable(failure.message, failure.type, { seen: 'tail' });
      return {};
    },
  ]),
) as unknown as StepActivities;

let temporal: TemporalServer;
let client: Client;
let worker: Worker;
let running: Promise<void>;
let native: NativeConnection;

beforeAll(async () => {
  const [server, bundle] = await Promise.all([startTestTemporal(), testBundle()]);
  temporal = server;
  client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  native = await NativeConnection.connect({ address: temporal.address });
  worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    activities: { ...record, ...steps },
  });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await native.close();
  await client.connection.close();
  await temporal.stop();
});

function input(operation: OperationInput['operation'] = 'INSTANTIATE'): OperationInput {
  const id = randomUUID().slice(1);
  return {
    operation,
    vnfInstanceId: (operation === 'TERMINATE' ? 'f' : '0') + id,
    vnfLcmOpOccId: randomUUID(),
    tenant: 'nfv',
  };
}
const open = async () => true;
const ended = (one: OperationInput) => client.workflow.getHandle(workflowId(one.vnfInstanceId)).result();
const untilRecorded = (one: OperationInput, what: string) =>
  expect.poll(() => recorded.get(one.vnfLcmOpOccId)?.at(-1) ?? '', { timeout: 10_000, interval: 20 }).toContain(what);
const stepsOf = (one: OperationInput) =>
  ran.filter(({ vnfLcmOpOccId }) => vnfLcmOpOccId === one.vnfLcmOpOccId).map(({ stepId }) => stepId);

it('has recorded the operation when the start is answered, and completes it', async () => {
  const one = input();
  await startOperation(client, one, open);
  expect(recorded.get(one.vnfLcmOpOccId)?.[0]).toBe('STARTING');
  expect(await ended(one)).toBe('COMPLETED');
  expect(recorded.get(one.vnfLcmOpOccId)).toEqual(['STARTING', 'PROCESSING', 'COMPLETED']);
  expect(stepsOf(one).slice(0, 2)).toEqual(['applyStack', 'discover']);
  expect(stepsOf(one).at(-1)).toBe('scheduleSnapshots');
  expect(stepsOf(one).length).toBe(12);
});

it('refuses a second operation on a busy instance with a sentence, and lets the first one go on', async () => {
  held = new Promise((resolve) => {
    release = resolve;
  });
  const one = input();
  await startOperation(client, one, open);
  await expect(
    startOperation(client, { ...one, vnfLcmOpOccId: randomUUID(), operation: 'TERMINATE' }, open),
  ).rejects.toMatchObject({
    code: 'VNF_BUSY',
    message: `Other LCM operation of vnfInstance ${one.vnfInstanceId} is in progress.`,
  });
  release?.();
  held = undefined;
  expect(await ended(one)).toBe('COMPLETED');
});

it('answers a repeated request with the same id as it answered the first', async () => {
  const one = input();
  await startOperation(client, one, open);
  await startOperation(client, one, open);
  expect(await ended(one)).toBe('COMPLETED');
  expect(recorded.get(one.vnfLcmOpOccId)?.filter((state) => state === 'STARTING').length).toBe(1);
});

it('waits in FAILED_TEMP with the cause, and retry resumes at the failed step without repeating finished ones', async () => {
  const one = input();
  failOnce.set('joinWorker-workerNode-1', { type: 'NODE_COMMAND_FAILED', message: 'join of worker9 failed' });
  await startOperation(client, one, open);
  await untilRecorded(one, 'FAILED_TEMP NODE_COMMAND_FAILED joinWorker-workerNode-1 join of worker9 failed');
  const before = stepsOf(one);
  await controlOperation(client, 'retry', one.vnfInstanceId);
  expect(recorded.get(one.vnfLcmOpOccId)).toContain('PROCESSING');
  expect(await ended(one)).toBe('COMPLETED');
  expect(stepsOf(one).slice(before.length)).toEqual([
    'joinWorker-workerNode-1',
    'verifyCluster-masterNode-0',
    'snapshotEtcd-masterNode-0',
    'scheduleSnapshots',
  ]);
  expect(ran.findLast(({ stepId }) => stepId === 'joinWorker-workerNode-1')?.round).toBe(1);
});

it('rolls back with the inverse plan', async () => {
  const one = input();
  failOnce.set('initControlPlane-masterNode-0', { type: 'NODE_COMMAND_FAILED', message: 'kubeadm init failed' });
  await startOperation(client, one, open);
  await untilRecorded(one, 'FAILED_TEMP');
  await controlOperation(client, 'rollback', one.vnfInstanceId);
  expect(await ended(one)).toBe('ROLLED_BACK');
  expect(recorded.get(one.vnfLcmOpOccId)?.slice(-2)).toEqual(['ROLLING_BACK', 'ROLLED_BACK']);
  expect(stepsOf(one).slice(-2)).toEqual(['deleteStack', 'forgetCluster']);
});

it('starts from the beginning when a rollback failed half-way and is retried', async () => {
  const one = input();
  failOnce.set('discover', { type: 'RESOURCE_MISSING', message: 'no port' });
  failOnce.set('forgetCluster', { type: 'INTERNAL', message: 'disk full' });
  await startOperation(client, one, open);
  await untilRecorded(one, 'FAILED_TEMP');
  await controlOperation(client, 'rollback', one.vnfInstanceId);
  await untilRecorded(one, 'FAILED_TEMP INTERNAL');
  await controlOperation(client, 'retry', one.vnfInstanceId);
  expect(await ended(one)).toBe('COMPLETED');
  expect(stepsOf(one).filter((id) => id === 'applyStack').length).toBe(2);
});

it('gives up on request and leaves everything as it is', async () => {
  const one = input();
  failOnce.set('applyStack', { type: 'STACK_CREATE_FAILED', message: 'No valid host' });
  await startOperation(client, one, open);
  await untilRecorded(one, 'FAILED_TEMP');
  await controlOperation(client, 'fail', one.vnfInstanceId);
  expect(recorded.get(one.vnfLcmOpOccId)?.at(-1)).toBe('FAILED');
  expect(await ended(one)).toBe('FAILED');
  expect(stepsOf(one)).toEqual(['applyStack']);
});

it('refuses retry while it works, rollback of a terminate, and anything after the end, each with the state in the text', async () => {
  held = new Promise((resolve) => {
    release = resolve;
  });
  const one = input();
  await startOperation(client, one, open);
  await untilRecorded(one, 'PROCESSING');
  await expect(controlOperation(client, 'retry', one.vnfInstanceId)).rejects.toMatchObject({
    code: 'OPERATION_STATE',
    message: expect.stringContaining('PROCESSING'),
  });
  release?.();
  held = undefined;
  await ended(one);
  await expect(controlOperation(client, 'retry', one.vnfInstanceId)).rejects.toMatchObject({ code: 'OPERATION_STATE' });

  const two = input('TERMINATE');
  failOnce.set('deleteStack', { type: 'STACK_DELETE_FAILED', message: 'port in use' });
  await startOperation(client, two, open);
  await untilRecorded(two, 'FAILED_TEMP');
  await expect(controlOperation(client, 'rollback', two.vnfInstanceId)).rejects.toMatchObject({
    code: 'ROLLBACK_NOT_SUPPORTED',
  });
  await controlOperation(client, 'retry', two.vnfInstanceId);
  expect(await ended(two)).toBe('COMPLETED');
});

it('ends in ROLLED_BACK when the grant is refused: nothing was done', async () => {
  grantRefused = true;
  const one = input();
  await startOperation(client, one, open);
  expect(await ended(one)).toBe('ROLLED_BACK');
  grantRefused = false;
  expect(recorded.get(one.vnfLcmOpOccId)).toEqual(['STARTING', 'ROLLED_BACK VIM_REJECTED grant no quota']);
  expect(stepsOf(one)).toEqual([]);
});

it('can be found by its search attributes and says in the Temporal UI what went wrong and what to do', async () => {
  const one = input();
  failOnce.set('discover', { type: 'RESOURCE_MISSING', message: 'no floating ip' });
  await startOperation(client, one, open);
  await untilRecorded(one, 'FAILED_TEMP');
  const query = `VnfInstanceId = '${one.vnfInstanceId}' AND OperationState = 'FAILED_TEMP' AND Operation = 'INSTANTIATE' AND Tenant = 'nfv'`;
  await expect
    .poll(async () => (await Array.fromAsync(client.workflow.list({ query }))).length, { timeout: 10_000 })
    .toBe(1);
  const metadata = await client.workflow
    .getHandle(workflowId(one.vnfInstanceId))
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  expect(metadata.currentDetails).toContain('`RESOURCE_MISSING` no floating ip');
  expect(metadata.currentDetails).toContain('Compare the *_cp_name parameters');
  await controlOperation(client, 'fail', one.vnfInstanceId);
});
