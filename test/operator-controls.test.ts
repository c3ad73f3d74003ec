import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { workflowId } from '../workflows/contract.ts';
import { newOperation, type OperationWorld, startOperationWorld } from './testing/operation-world.ts';
import { testBundle } from './testing/temporal.ts';

const M0 = 'prepareNode-masterNode-0';
const W0 = 'prepareNode-workerNode-0';
const W1 = 'prepareNode-workerNode-1';
const INIT = 'initControlPlane-masterNode-0';
const CNI = 'installCni-masterNode-0';
const FAILS = { type: 'NODE_COMMAND_FAILED', message: 'no space left' };

let world: OperationWorld;
beforeAll(async () => {
  world = await startOperationWorld();
});
afterEach(() => {
  world.broken.clear();
  world.failOnce.clear();
});
afterAll(() => world.stop());

const timesOf = (one: ReturnType<typeof newOperation>, id: string) =>
  world.stepsOf(one).filter((stepId) => stepId === id).length;

/** The details that the Temporal UI shows. */
const detailsOf = async (one: ReturnType<typeof newOperation>) =>
  (await world.handle(one).query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;

it('GRACEFUL cancel lets running steps end and starts no new ones; retry goes on with what is not done', async () => {
  const one = newOperation();
  const release = world.hold(M0);
  await world.start(one);
  await world.untilBegun(one, M0);
  await world.control(one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
  expect(world.records(one).at(-1)).toBe('cancel GRACEFUL by tester');
  await expect(world.control(one, { kind: 'cancel', cancelMode: 'GRACEFUL' })).rejects.toMatchObject({
    code: 'OPERATION_STATE',
    message: 'cancel (GRACEFUL) is under way already; the INSTANTIATE operation is in state PROCESSING.',
  });
  release();
  await world.untilRecorded(
    one,
    'FAILED_TEMP OPERATION_CANCELLED - The INSTANTIATE operation was cancelled (GRACEFUL)',
  );
  const before = world.stepsOf(one);
  expect(before).not.toContain(INIT);
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.stepsOf(one).slice(before.length)).not.toContain(M0);
  expect(new Set(world.stepsOf(one)).size).toBe(world.stepsOf(one).length);
});

it('FORCEFUL cancel stops running steps at once, also one that began gracefully; retry runs them again', async () => {
  const one = newOperation();
  const releases = [world.hold(M0), world.hold(W0)];
  await world.start(one);
  await world.untilBegun(one, W0);
  await world.control(one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
  await world.control(one, { kind: 'cancel', cancelMode: 'FORCEFUL' });
  await world.untilRecorded(
    one,
    'FAILED_TEMP OPERATION_CANCELLED - The INSTANTIATE operation was cancelled (FORCEFUL) in PROCESSING by tester. Stopped: 2 steps.',
  );
  for (const release of releases) release();
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect([timesOf(one, M0), timesOf(one, W0), timesOf(one, W1)]).toEqual([2, 2, 1]);
});

it('cancel in STARTING ends in ROLLED_BACK: FORCEFUL at once, GRACEFUL when the NFVO has answered; nothing was done', async () => {
  for (const cancelMode of ['FORCEFUL', 'GRACEFUL'] as const) {
    const one = newOperation();
    const release = world.hold('requestGrant');
    await world.start(one);
    await world.control(one, { kind: 'cancel', cancelMode });
    if (cancelMode === 'GRACEFUL') {
      expect(world.records(one).at(-1)).toBe('cancel GRACEFUL by tester');
      release();
    }
    expect(await world.ended(one)).toBe('ROLLED_BACK');
    release();
    expect(world.records(one).at(-1)).toContain('ROLLED_BACK OPERATION_CANCELLED');
    expect(world.stepsOf(one)).toEqual([]);
  }
});

it('cancel of a rollback leads back to FAILED_TEMP, and the next rollback goes on where it stopped', async () => {
  const one = newOperation();
  world.failOnce.set('discover', FAILS);
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  const release = world.hold('deleteStack');
  await world.control(one, { kind: 'rollback' });
  await world.untilBegun(one, 'deleteStack');
  await world.control(one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
  release();
  await world.untilRecorded(one, 'FAILED_TEMP OPERATION_CANCELLED');
  await world.control(one, { kind: 'rollback' });
  expect(await world.ended(one)).toBe('ROLLED_BACK');
  expect([timesOf(one, 'deleteStack'), timesOf(one, 'forgetCluster')]).toEqual([1, 1]);
});

it('retryStep skips the back-off of a step that waits to be repeated', async () => {
  const one = newOperation();
  world.failOnce.set(W0, { ...FAILS, retriable: true });
  await world.start(one);
  await world.untilBegun(one, W0);
  const began = Date.now();
  await world.control(one, { kind: 'retryStep', stepId: W0 });
  await world.untilBegun(one, W0, 2);
  expect(Date.now() - began).toBeLessThan(900); // the back-off is a second
  expect(await world.ended(one)).toBe('COMPLETED');
});

it('retryStep tries a failed step again while others still run, and the operation never fails', async () => {
  const one = newOperation();
  const release = world.hold(M0);
  world.failOnce.set(W0, FAILS);
  await world.start(one);
  await expect.poll(() => detailsOf(one), { timeout: 10_000 }).toContain('no space left');
  expect([timesOf(one, W0), world.records(one).at(-1)]).toEqual([1, 'PROCESSING']);
  await world.control(one, { kind: 'retryStep', stepId: W0 });
  await world.untilBegun(one, W0, 2);
  release();
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.records(one).some((line) => line.startsWith('FAILED_TEMP'))).toBe(false);
});

it('retryStep in FAILED_TEMP runs that step alone while others are still failed', async () => {
  const one = newOperation();
  world.failOnce.set(W0, FAILS);
  world.failOnce.set(W1, FAILS);
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  const before = world.stepsOf(one).length;
  await world.control(one, { kind: 'retryStep', stepId: W1 });
  await world.untilRecorded(one, `FAILED_TEMP NODE_COMMAND_FAILED ${W0}`);
  expect(world.stepsOf(one).slice(before)).toEqual([W1]);
  await world.control(one, { kind: 'retryStep', stepId: W0 });
  expect(await world.ended(one)).toBe('COMPLETED');
});

it('skipStep with a reason lets the operation go on without a step; what must run is refused with the reason', async () => {
  const one = newOperation();
  world.failOnce.set(CNI, FAILS);
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP');
  await expect(world.control(one, { kind: 'skipStep', stepId: INIT, reason: 'x' })).rejects.toMatchObject({
    code: 'STEP_STATE',
    message: expect.stringContaining(`${INIT} is done`),
  });
  await world.control(one, { kind: 'skipStep', stepId: CNI, reason: 'Calico is there already' });
  expect(world.records(one).at(-1)).toBe(`skipStep ${CNI} by tester`);
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(timesOf(one, CNI)).toBe(1);
});

it('skipStep of a running step stops it and goes on at once', async () => {
  const one = newOperation();
  const release = world.hold(CNI);
  await world.start(one);
  await world.untilBegun(one, CNI);
  await world.control(one, { kind: 'skipStep', stepId: CNI, reason: 'it hangs' });
  expect(await world.ended(one)).toBe('COMPLETED');
  release();
});

it('pauseBefore holds a step back until it is resumed; meanwhile the operation can be cancelled', async () => {
  const one = newOperation();
  const release = world.hold(M0);
  await world.start(one);
  await world.untilBegun(one, M0);
  await world.control(one, { kind: 'pauseBefore', stepId: INIT });
  release();
  await world.untilBegun(one, W1);
  await expect(world.control(one, { kind: 'pauseBefore', stepId: INIT })).rejects.toMatchObject({
    code: 'STEP_STATE',
    message: `pauseBefore in state PROCESSING is for a step that is waiting; ${INIT} is paused.`,
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(world.stepsOf(one)).not.toContain(INIT);
  expect(await detailsOf(one)).toContain(`paused before \`${INIT}\``);
  await world.control(one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
  await world.untilRecorded(one, 'FAILED_TEMP OPERATION_CANCELLED');
  await world.control(one, { kind: 'retry' });
  await world.control(one, { kind: 'resume', stepId: INIT });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(timesOf(one, INIT)).toBe(1);
});

it('takes every control from the `temporal` command, as JSON that a person types, with the refusals of the API', async () => {
  const one = newOperation();
  const release = world.hold(M0);
  await world.start(one);
  await world.untilBegun(one, M0);
  const update = async (name: string, input?: string, of = one) => {
    const args = ['workflow', 'update', 'execute', '-w', workflowId(of.vnfInstanceId), '--name', name];
    return promisify(execFile)(process.env['VNFLOW_TEMPORAL_BINARY'] ?? 'temporal', [
      ...args,
      ...(input === undefined ? [] : ['--input', input]),
      '--address',
      world.temporal.address,
    ]);
  };
  await expect(update('retry')).rejects.toThrow(
    'retry is allowed in FAILED_TEMP only; the INSTANTIATE operation is in state PROCESSING.',
  );
  await expect(update('cancel')).rejects.toThrow('cancelMode is GRACEFUL or FORCEFUL');
  await expect(update('skipStep', `{"stepId": "${CNI}"}`)).rejects.toThrow('skipStep needs a reason');
  await expect(update('skipStep', '{"stepId": "discover", "reason": "x"}')).rejects.toThrow('discover is done');
  await expect(update('resume', '"x"')).rejects.toThrow('resume needs an object such as {"stepId"');
  await update('skipStep', `{"stepId": "${CNI}", "reason": "no network wanted"}`);
  await update('pauseBefore', `{"stepId": "${INIT}"}`);
  await update('resume', `{"stepId": "${INIT}"}`);
  await update('cancel', '{"cancelMode": "FORCEFUL"}');
  await world.untilRecorded(one, '(FORCEFUL) in PROCESSING by an operator at the Temporal server. Stopped: one step.');
  release();
  world.failOnce.set(INIT, FAILS);
  await update('retryStep', `{"stepId": "${M0}", "by": "me"}`);
  await world.untilRecorded(one, `FAILED_TEMP NODE_COMMAND_FAILED ${INIT}`);
  await update('retry');
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.stepsOf(one)).not.toContain(CNI);

  const two = newOperation();
  for (const [decision, end] of [
    ['rollback', 'ROLLED_BACK'],
    ['fail', 'FAILED'],
  ]) {
    const next = { ...two, vnfLcmOpOccId: newOperation().vnfLcmOpOccId };
    world.failOnce.set('discover', FAILS);
    await world.start(next);
    await world.untilRecorded(next, 'FAILED_TEMP');
    await update(decision ?? '', undefined, next);
    expect(await world.ended(next)).toBe(end);
  }
}, 60_000);

it('a control that is meant for an operation that has ended does not reach the next operation of its instance', async () => {
  const first = newOperation();
  await world.start(first);
  await world.ended(first);
  const second = { ...first, vnfLcmOpOccId: newOperation().vnfLcmOpOccId };
  const release = world.hold('applyStack');
  await world.start(second);
  await world.untilBegun(second, 'applyStack');
  await expect(world.control(first, { kind: 'cancel', cancelMode: 'FORCEFUL' })).rejects.toMatchObject({
    code: 'OPERATION_STATE',
    message: expect.stringContaining(first.vnfLcmOpOccId),
  });
  release();
  expect(await world.ended(second)).toBe('COMPLETED');
});

it('a request that the API has withdrawn ends its workflow at once: the instance is free again', async () => {
  const one = newOperation();
  world.withdrawn.add(one.vnfLcmOpOccId);
  await world.start(one);
  expect(await world.ended(one)).toBe('NEVER_ACCEPTED');
  expect([world.records(one), world.stepsOf(one)]).toEqual([[], []]);
});

it('FORCEFUL cancel right after the acceptance ends every operation in ROLLED_BACK, and is never answered by an error', async () => {
  const many = Array.from({ length: 12 }, () => newOperation());
  await Promise.all(
    many.map(async (one) => {
      await world.start(one);
      await world.control(one, { kind: 'cancel', cancelMode: 'FORCEFUL' }).catch((error: unknown) => {
        // the grant has ended meanwhile: the operation is in PROCESSING or beyond
        expect(error).toMatchObject({ code: 'OPERATION_STATE' });
      });
    }),
  );
  for (const one of many) {
    await expect
      .poll(() => world.records(one).at(-1), { timeout: 10_000 })
      .toMatch(/^(ROLLED_BACK|FAILED_TEMP|COMPLETED)/);
    const recorded = world.records(one).at(-1) ?? '';
    if (recorded.startsWith('FAILED_TEMP')) await world.control(one, { kind: 'fail' });
    expect(await world.ended(one)).toBe(recorded.startsWith('FAILED_TEMP') ? 'FAILED' : recorded.split(' ')[0]);
  }
}, 60_000);

it.each(['GRACEFUL', 'FORCEFUL'] as const)(
  'a %s cancel that reaches the workflow together with the plan is not lost: the operation stops',
  async (cancelMode) => {
    const one = newOperation();
    const release = world.hold('makePlan forward');
    await world.start(one);
    await world.untilPending(one, 'makePlan');
    const resumeWorkflows = await world.pauseWorkflows();
    const cancelled = world.control(one, { kind: 'cancel', cancelMode });
    await delay(500); // it waits in Temporal, because no worker takes it
    release();
    await world.untilPending(one, undefined);
    await resumeWorkflows();
    await cancelled;
    await expect
      .poll(() => world.records(one).at(-1), { timeout: 20_000 })
      .toMatch(/^(ROLLED_BACK|FAILED_TEMP|COMPLETED)/);
    expect(world.records(one).at(-1)).toMatch(/^(ROLLED_BACK|FAILED_TEMP) OPERATION_CANCELLED/);
    if (world.records(one).at(-1)?.startsWith('FAILED_TEMP')) await world.control(one, { kind: 'fail' });
    await world.ended(one);
  },
  60_000,
);

it('an end that cannot be recorded, and a rollback that cannot be planned, leave the operation in FAILED_TEMP', async () => {
  const one = newOperation();
  world.broken.set('recordEnd', ApplicationFailure.nonRetryable('instance gone', 'INTERNAL'));
  world.broken.set('makePlan', ApplicationFailure.nonRetryable('package gone', 'RESOURCE_MISSING'));
  await world.start(one);
  await world.untilRecorded(one, 'FAILED_TEMP INTERNAL - instance gone');
  await expect(world.control(one, { kind: 'rollback' })).rejects.toMatchObject({
    code: 'RESOURCE_MISSING',
    message: 'package gone',
  });
  world.broken.clear();
  const before = world.stepsOf(one).length;
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  expect(world.stepsOf(one).length).toBe(before);
});

it('an operation with many controls replays with the present code', async () => {
  const one = newOperation();
  const release = world.hold(M0);
  world.failOnce.set(W0, FAILS);
  await world.start(one);
  await world.untilBegun(one, M0);
  await world.control(one, { kind: 'pauseBefore', stepId: INIT });
  await world.control(one, { kind: 'cancel', cancelMode: 'FORCEFUL' });
  await world.untilRecorded(one, 'FAILED_TEMP');
  release();
  await world.control(one, { kind: 'resume', stepId: INIT });
  await world.control(one, { kind: 'skipStep', stepId: CNI, reason: 'r' });
  await world.control(one, { kind: 'retry' });
  expect(await world.ended(one)).toBe('COMPLETED');
  const history = await world.handle(one).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle: await testBundle() }, history);
});
