import { expect, it } from 'vitest';
import { planInstantiate } from '../../test/testing/domain/cluster-plans.ts';
import { planInstantiateRollback } from '../stack-plans/instantiate.ts';
import { applyAction, type OperatorAction } from './operator-actions.ts';
import {
  applyDecision,
  beginAttempt,
  confirmState,
  endAttempt,
  failuresOf,
  isAtRest,
  newRun,
  type OperationRun,
  setPlan,
  startableSteps,
} from './run.ts';
import type { StepControl } from './step-control.ts';

const by = 'tester';
function actionOn(kind: StepControl, stepId: string): OperatorAction {
  return kind === 'skipStep' ? { kind, stepId, by, reason: 'by hand' } : { kind, stepId, by };
}
const shape = (workers: number) => ({
  controlPlane: { vduId: 'masterNode', count: 1 },
  workers: { vduId: 'workerNode', count: workers },
  loadBalanced: false,
});
/** applyStack and discover are done, all prepare steps run. */
function preparing(): OperationRun {
  const run = newRun('INSTANTIATE');
  setPlan(run, planInstantiate(shape(2)));
  confirmState(run, 'PROCESSING');
  for (const id of ['applyStack', 'discover']) {
    beginAttempt(run, id);
    endAttempt(run, id, { kind: 'done' });
  }
  for (const { id } of startableSteps(run)) beginAttempt(run, id);
  return run;
}
const fail = (run: OperationRun, stepId: string) =>
  endAttempt(run, stepId, { kind: 'failed', failure: { stepId, code: 'NODE_COMMAND_FAILED', detail: 'no' } });
const ids = (run: OperationRun) => startableSteps(run).map(({ id }) => id);

it('a step that failed is tried again alone while the others still run, and then everything goes on', () => {
  const run = preparing();
  fail(run, 'prepareNode-workerNode-0');
  endAttempt(run, 'prepareNode-masterNode-0', { kind: 'done' });
  expect(ids(run)).toEqual([]);
  applyAction(run, actionOn('retryStep', 'prepareNode-workerNode-0'));
  expect(ids(run)).toEqual(['prepareNode-workerNode-0', 'initControlPlane-masterNode-0']);
});

it('a step is tried again alone in FAILED_TEMP: other failures wait for their own retry', () => {
  const run = preparing();
  fail(run, 'prepareNode-workerNode-0');
  fail(run, 'prepareNode-workerNode-1');
  endAttempt(run, 'prepareNode-masterNode-0', { kind: 'done' });
  expect(isAtRest(run)).toBe(true);
  confirmState(run, 'FAILED_TEMP');
  applyAction(run, actionOn('retryStep', 'prepareNode-workerNode-1'));
  applyDecision(run, 'retry');
  confirmState(run, 'PROCESSING');
  expect(ids(run)).toEqual(['prepareNode-workerNode-1']);
  beginAttempt(run, 'prepareNode-workerNode-1');
  endAttempt(run, 'prepareNode-workerNode-1', { kind: 'done' });
  expect([ids(run), isAtRest(run), failuresOf(run).map(({ stepId }) => stepId)]).toEqual([
    [],
    true,
    ['prepareNode-workerNode-0'],
  ]);
});

it('a step that waits to be repeated is given up and begins anew, however its attempt ends', () => {
  for (const end of ['stopped', 'failed'] as const) {
    const run = preparing();
    expect(applyAction(run, actionOn('retryStep', 'prepareNode-workerNode-0'))).toEqual(['prepareNode-workerNode-0']);
    if (end === 'failed') fail(run, 'prepareNode-workerNode-0');
    else endAttempt(run, 'prepareNode-workerNode-0', { kind: 'stopped' });
    expect(ids(run)).toEqual(['prepareNode-workerNode-0']);
    expect(run.round).toBe(1);
  }
});

it('a step that is paused holds up what comes after it, and nothing else; the operation waits for it', () => {
  const run = preparing();
  applyAction(run, actionOn('pauseBefore', 'initControlPlane-masterNode-0'));
  for (const slot of ['masterNode-0', 'workerNode-0', 'workerNode-1'])
    endAttempt(run, `prepareNode-${slot}`, { kind: 'done' });
  expect([ids(run), isAtRest(run)]).toEqual([[], false]);
  applyAction(run, actionOn('resume', 'initControlPlane-masterNode-0'));
  expect(ids(run)).toEqual(['initControlPlane-masterNode-0']);
});

it('a step that is skipped counts as done for what comes after it', () => {
  const run = preparing();
  fail(run, 'prepareNode-workerNode-0');
  applyAction(run, actionOn('skipStep', 'prepareNode-workerNode-0'));
  endAttempt(run, 'prepareNode-masterNode-0', { kind: 'done' });
  expect(ids(run)).toEqual(['initControlPlane-masterNode-0']);
  expect(failuresOf(run)).toEqual([]);
});

it('a graceful cancel lets a step end, a forceful one stops it; either way the operation rests with the reason', () => {
  for (const cancelMode of ['GRACEFUL', 'FORCEFUL'] as const) {
    const run = preparing();
    const stopped = applyAction(run, { kind: 'cancel', cancelMode, by });
    expect(stopped.length).toBe(cancelMode === 'FORCEFUL' ? 3 : 0);
    expect(isAtRest(run)).toBe(false);
    for (const slot of ['masterNode-0', 'workerNode-0', 'workerNode-1'])
      endAttempt(run, `prepareNode-${slot}`, { kind: stopped.length > 0 ? 'stopped' : 'done' });
    expect([ids(run), isAtRest(run)]).toEqual([[], true]);
    const [failure] = failuresOf(run);
    expect(failure?.code).toBe('OPERATION_CANCELLED');
    expect(failure?.detail).toContain(`(${cancelMode}) in PROCESSING by tester.`);
    confirmState(run, 'FAILED_TEMP');
    applyAction(run, { kind: 'retry', by });
    applyDecision(run, 'retry');
    confirmState(run, 'PROCESSING');
    expect(ids(run).length).toBe(cancelMode === 'FORCEFUL' ? 3 : 1);
  }
});

it('a step of a rollback that failed is where the next rollback goes on', () => {
  const run = preparing();
  for (const slot of ['masterNode-0', 'workerNode-0', 'workerNode-1']) fail(run, `prepareNode-${slot}`);
  confirmState(run, 'FAILED_TEMP');
  applyAction(run, { kind: 'rollback', by });
  applyDecision(run, 'rollback', planInstantiateRollback());
  confirmState(run, 'ROLLING_BACK');
  beginAttempt(run, 'deleteStack');
  endAttempt(run, 'deleteStack', { kind: 'done' });
  beginAttempt(run, 'forgetCluster');
  fail(run, 'forgetCluster');
  confirmState(run, 'FAILED_TEMP');
  applyAction(run, { kind: 'rollback', by });
  applyDecision(run, 'rollback');
  confirmState(run, 'ROLLING_BACK');
  expect(ids(run)).toEqual(['forgetCluster']);
});
