import { randomUUID } from 'node:crypto';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planQuery, stepsQuery } from '../workflows/contract.ts';
import { newOperation, type OperationWorld, startOperationWorld } from './testing/operation-world.ts';

let world: OperationWorld;
beforeAll(async () => {
  world = await startOperationWorld();
});
afterAll(() => world.stop());

it('records the operation before anything else, and completes it', async () => {
  const one = newOperation();
  await world.start(one);
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.records(one)).toEqual(['STARTING', 'PROCESSING', 'COMPLETED']);
  expect(world.stepsOf(one).slice(0, 2)).toEqual(['applyStack', 'discover']);
  expect(world.stepsOf(one).at(-1)).toBe('scheduleSnapshots');
  expect(world.stepsOf(one).length).toBe(12);
});

it('shows the nodes of each step in the Temporal UI: by name if the plan has it, else by slot', async () => {
  const one = newOperation();
  await world.start(one);
  expect(await world.ended(one)).toBe('COMPLETED');
  const { events } = await world.handle(one).fetchHistory();
  const summaries = (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [String(defaultPayloadConverter.fromPayload(userMetadata.summary))] : [],
  );
  expect(summaries).toContain('prepare worker57 (10.10.0.57)');
  expect(summaries).toContain('prepare workerNode[0]');
});

it('refuses a second operation on a busy instance with a sentence, and lets the first one go on', async () => {
  const release = world.hold('*');
  const one = newOperation();
  await world.start(one);
  await expect(world.start({ ...one, vnfLcmOpOccId: randomUUID(), operation: 'TERMINATE' })).rejects.toMatchObject({
    code: 'VNF_BUSY',
    message: `Other LCM operation of vnfInstance ${one.vnfInstanceId} is in progress.`,
  });
  release();
  expect(await world.ended(one)).toBe('COMPLETED');
});

it('answers a repeated request with the id of the first answer', async () => {
  const one = newOperation();
  await world.start(one);
  await world.start(one);
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.records(one).filter((state) => state === 'STARTING').length).toBe(1);
});

it('waits in FAILED_TEMP with the cause, and retry resumes at the failed step without repeating finished ones', async () => {
  const one = newOperation();
  world.failOnce.set('joinWorker-workerNode-1', { type: 'NODE_COMMAND_FAILED', message: 'join of worker9 failed' });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP NODE_COMMAND_FAILED joinWorker-workerNode-1 join of worker9 failed');
  const before = world.stepsOf(one);
  await world.control(one, { kind: 'retry' });
  expect(world.records(one)).toContain('PROCESSING');
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.stepsOf(one).slice(before.length)).toEqual([
    'joinWorker-workerNode-1',
    'verifyCluster-masterNode-0',
    'snapshotEtcd-masterNode-0',
    'scheduleSnapshots',
  ]);
  expect(world.attempts(one).findLast(({ stepId }) => stepId === 'joinWorker-workerNode-1')?.round).toBe(1);
});

it('rolls back with the inverse plan', async () => {
  const one = newOperation();
  world.failOnce.set('initControlPlane-masterNode-0', { type: 'NODE_COMMAND_FAILED', message: 'kubeadm init failed' });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  await world.control(one, { kind: 'rollback' });
  expect(await world.ended(one)).toBe('ROLLED_BACK');
  expect(world.records(one).slice(-2)).toEqual(['ROLLING_BACK', 'ROLLED_BACK']);
  expect(world.stepsOf(one).slice(-2)).toEqual(['deleteStack', 'forgetCluster']);
});

it('starts from the beginning when a rollback failed half-way and is retried', async () => {
  const one = newOperation();
  world.failOnce.set('discover', { type: 'RESOURCE_MISSING', message: 'no port' });
  world.failOnce.set('forgetCluster', { type: 'INTERNAL', message: 'disk full' });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  await world.control(one, { kind: 'rollback' });
  await world.untilRecorded(one, 'FAILED_TEMP INTERNAL');
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.stepsOf(one).filter((id) => id === 'applyStack').length).toBe(2);
});

it('gives up on request and leaves everything as it is', async () => {
  const one = newOperation();
  world.failOnce.set('applyStack', { type: 'STACK_CREATE_FAILED', message: 'No valid host' });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  await world.control(one, { kind: 'fail' });
  expect(world.records(one).at(-1)).toBe('FAILED');
  expect(await world.ended(one)).toBe('FAILED');
  expect(world.stepsOf(one)).toEqual(['applyStack']);
});

it('refuses retry while it works, rollback of a terminate, and anything after the end, each with the state in the text', async () => {
  const release = world.hold('*');
  const one = newOperation();
  await world.start(one);
  await world.untilRecorded(one, 'PROCESSING');
  await expect(world.control(one, { kind: 'retry' })).rejects.toMatchObject({
    code: 'OPERATION_STATE',
    message: expect.stringContaining('PROCESSING'),
  });
  release();
  await world.ended(one);
  await expect(world.control(one, { kind: 'retry' })).rejects.toMatchObject({ code: 'OPERATION_STATE' });

  const two = newOperation('TERMINATE');
  world.failOnce.set('deleteStack', { type: 'STACK_DELETE_FAILED', message: 'port in use' });
  await world.start(two);
  await world.untilRecorded(two, 'FAILED_TEMP');
  await expect(world.control(two, { kind: 'rollback' })).rejects.toMatchObject({
    code: 'ROLLBACK_NOT_SUPPORTED',
  });
  await world.control(two, { kind: 'retry' });
  expect(await world.ended(two)).toBe('COMPLETED');
});

it('ends in ROLLED_BACK when the grant is refused: nothing was done', async () => {
  world.broken.set('requestGrant', ApplicationFailure.nonRetryable('no quota', 'VIM_REJECTED'));
  const one = newOperation();
  await world.start(one);
  expect(await world.ended(one)).toBe('ROLLED_BACK');
  world.broken.clear();
  expect(world.records(one)).toEqual(['STARTING', 'ROLLED_BACK VIM_REJECTED grant no quota']);
  expect(world.stepsOf(one)).toEqual([]);
});

it('answers what it plans and how each step stands, and shows the end of the output of a failed one', async () => {
  const one = newOperation();
  const seen = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n');
  world.failOnce.set('joinWorker-workerNode-0', { type: 'NODE_COMMAND_FAILED', message: 'it failed', seen });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  const plan = await world.handle(one).query(planQuery);
  expect(plan).toMatchObject({ operation: 'INSTANTIATE', state: 'FAILED_TEMP', direction: 'forward' });
  expect(plan.steps.map(({ stepId }) => stepId).slice(0, 2)).toEqual(['applyStack', 'discover']);
  expect(plan.steps.find(({ stepId }) => stepId === 'discover')?.after).toEqual(['applyStack']);
  const steps = await world.handle(one).query(stepsQuery);
  expect(steps.find(({ stepId }) => stepId === 'applyStack')).toMatchObject({ condition: 'done' });
  expect(steps.find(({ stepId }) => stepId === 'joinWorker-workerNode-0')).toMatchObject({
    condition: 'failed',
    failure: { code: 'NODE_COMMAND_FAILED', detail: 'it failed', seen },
  });
  const { currentDetails } = await world.handle(one).query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain('      line 21\n');
  expect(currentDetails).toContain('      line 30\n');
  expect(currentDetails).not.toContain('line 20\n');
  await world.control(one, { kind: 'fail' });
});

it('can be found by its search attributes and says in the Temporal UI what went wrong and what to do', async () => {
  const one = newOperation();
  world.failOnce.set('discover', { type: 'RESOURCE_MISSING', message: 'no floating ip' });
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  const query = `VnfInstanceId = '${one.vnfInstanceId}' AND OperationState = 'FAILED_TEMP' AND Operation = 'INSTANTIATE' AND Tenant = 'nfv'`;
  await expect
    .poll(async () => (await Array.fromAsync(world.client.workflow.list({ query }))).length, { timeout: 10_000 })
    .toBe(1);
  const metadata = await world.handle(one).query<{
    currentDetails?: string;
    definition: { updateDefinitions: { name: string }[] };
  }>('__temporal_workflow_metadata');
  expect(metadata.currentDetails).toContain('`RESOURCE_MISSING` no floating ip');
  expect(metadata.currentDetails).toContain('Compare the *_cp_name parameters');
  expect(metadata.currentDetails).toContain('update `retryStep` with {"stepId": "discover"}');
  expect(metadata.currentDetails).toContain(`openstack vnflcm op rollback ${one.vnfLcmOpOccId}`);
  const offered = metadata.definition.updateDefinitions.map(({ name }) => name);
  expect(offered.toSorted()).toEqual(
    ['cancel', 'fail', 'pauseBefore', 'resume', 'retry', 'retryStep', 'rollback', 'skipStep'].toSorted(),
  );
  await world.control(one, { kind: 'fail' });
});
