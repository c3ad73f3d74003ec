import { describe, expect, it } from 'vitest';
import { sampleStep } from '../../test/testing/domain/sample-step.ts';
import { STEP_KINDS, type StepInputs, type StepKind } from '../steps/index.ts';
import { applyAction, type OperatorAction, refusalInState, refusalOfAction } from './operator-actions.ts';
import { type Plan, step } from './plan.ts';
import { applyDecision, confirmState, newRun, type OperationRun, setPlan } from './run.ts';
import { OPERATION_STATES, type OperationState } from './state.ts';
import { STEP_CONDITIONS, STEP_CONTROLS, type StepCondition, type StepControl } from './step-control.ts';

const by = 'tester';
const oneStep = (direction: Plan['direction'] = 'forward'): Plan => ({
  operation: 'INSTANTIATE',
  direction,
  rollbackSupported: true,
  steps: [step('joinWorker', [], { slot: 'workerNode[0]' })],
});
const JOIN = 'joinWorker-workerNode-0';

/** A run in `state` whose only step is `condition`. */
function runWith(state: OperationState, condition: StepCondition, direction?: Plan['direction']): OperationRun {
  const run = newRun('INSTANTIATE');
  setPlan(run, oneStep(direction));
  confirmState(run, state);
  run.conditions.set(JOIN, condition);
  return run;
}

function actionOn(kind: StepControl, stepId = JOIN): OperatorAction {
  return kind === 'skipStep' ? { kind, stepId, by, reason: 'by hand' } : { kind, stepId, by };
}

describe('controls of a step', () => {
  it('are allowed exactly where they make sense', () => {
    const allowed = STEP_CONTROLS.flatMap((kind) =>
      OPERATION_STATES.flatMap((state) => {
        const conditions = STEP_CONDITIONS.filter(
          (condition) => refusalOfAction(runWith(state, condition), actionOn(kind)) === undefined,
        );
        return conditions.length === 0 ? [] : [`${kind} ${state}: ${conditions.join(' ')}`];
      }),
    );
    expect(allowed).toEqual([
      'retryStep PROCESSING: running failed',
      'retryStep FAILED_TEMP: failed cancelled',
      'retryStep ROLLING_BACK: running failed',
      'skipStep PROCESSING: waiting paused running failed',
      'skipStep FAILED_TEMP: waiting paused failed cancelled',
      'skipStep ROLLING_BACK: waiting paused running failed',
      'pauseBefore PROCESSING: waiting',
      'pauseBefore FAILED_TEMP: waiting',
      'pauseBefore ROLLING_BACK: waiting',
      'resume PROCESSING: paused',
      'resume FAILED_TEMP: paused',
      'resume ROLLING_BACK: paused',
    ]);
  });

  it('are refused with the state of the operation in the text, everywhere else', () => {
    for (const kind of STEP_CONTROLS) {
      for (const state of OPERATION_STATES) {
        for (const condition of STEP_CONDITIONS) {
          const refusal = refusalOfAction(runWith(state, condition), actionOn(kind));
          if (refusal) expect(refusal.detail).toContain(state);
        }
      }
    }
  });

  it('say which step is unknown', () => {
    expect(refusalOfAction(runWith('PROCESSING', 'waiting'), actionOn('pauseBefore', 'joinWorker-x'))).toEqual({
      code: 'NOT_FOUND',
      detail: 'The present plan of the INSTANTIATE operation, which is in state PROCESSING, has no step joinWorker-x.',
    });
  });

  it('never skip what must run, and say why', () => {
    for (const [kind, { mustRun }] of Object.entries(STEP_KINDS)) {
      const run = newRun('INSTANTIATE');
      setPlan(run, { ...oneStep(), steps: [sampleStep(kind as StepKind, { id: 'it', after: [] })] });
      confirmState(run, 'PROCESSING');
      const refusal = refusalOfAction(run, actionOn('skipStep', 'it'));
      if (mustRun === false) expect(refusal).toBeUndefined();
      else expect(refusal).toMatchObject({ code: 'STEP_STATE', detail: expect.stringContaining(mustRun) });
    }
  });

  it('never skip the backup that the cluster is restored from, though any other', () => {
    const backup = (from: StepInputs['snapshotEtcd']) => ({ ...step('snapshotEtcd', [], from), id: 'it' });
    const refused = (...steps: Plan['steps']) => {
      const run = newRun('HEAL');
      setPlan(run, { ...oneStep(), operation: 'HEAL', steps });
      confirmState(run, 'PROCESSING');
      return refusalOfAction(run, actionOn('skipStep', 'it'));
    };
    const restore = step('restoreControlPlane', [], { slot: 'masterNode[0]' });
    const before = backup({ source: 'masterNode[0]' });
    expect(refused(before, restore)?.detail).toContain('cannot be skipped: the cluster is restored from it');
    expect(refused(backup({ slot: 'masterNode[0]' }), restore)).toBeUndefined();
    expect(refused(backup({}))).toBeUndefined();
  });

  it('leave the retry of a rollback that failed to rollback: retry goes forward', () => {
    const refusal = refusalOfAction(runWith('FAILED_TEMP', 'failed', 'rollback'), actionOn('retryStep'));
    expect(refusal).toMatchObject({ code: 'STEP_STATE', detail: expect.stringContaining('rollback goes on there') });
  });

  it('are refused without the plan where the state alone is enough', () => {
    const facts = { operation: 'INSTANTIATE', rollbackSupported: true } as const;
    expect(refusalInState(actionOn('resume'), facts, 'COMPLETED')?.detail).toBe(
      'resume is allowed in PROCESSING, ROLLING_BACK, FAILED_TEMP only; the INSTANTIATE operation is in state COMPLETED.',
    );
    expect(refusalInState(actionOn('resume'), facts, 'PROCESSING')).toBeUndefined();
    expect(refusalInState({ kind: 'cancel', cancelMode: 'GRACEFUL', by }, facts, 'FAILED_TEMP')?.detail).toBe(
      'cancel is allowed in STARTING, PROCESSING, ROLLING_BACK only; the INSTANTIATE operation is in state FAILED_TEMP.',
    );
  });
});

describe('while something is being carried out', () => {
  const cancel = (cancelMode: 'GRACEFUL' | 'FORCEFUL') => ({ kind: 'cancel', cancelMode, by }) as const;

  it('nothing else is accepted, but a graceful cancel may be forced', () => {
    const run = runWith('PROCESSING', 'running');
    applyAction(run, cancel('GRACEFUL'));
    expect(refusalOfAction(run, cancel('GRACEFUL'))?.detail).toBe(
      'cancel (GRACEFUL) is under way already; the INSTANTIATE operation is in state PROCESSING.',
    );
    expect(refusalOfAction(run, actionOn('retryStep'))?.code).toBe('OPERATION_STATE');
    expect(refusalOfAction(run, cancel('FORCEFUL'))).toBeUndefined();
    expect(applyAction(run, cancel('FORCEFUL'))).toEqual([JOIN]);
    expect(refusalOfAction(run, cancel('FORCEFUL'))?.detail).toContain('cancel (FORCEFUL) is under way already');
  });

  it('a decision holds off every other one, and so does a state on its way into the store', () => {
    const run = runWith('FAILED_TEMP', 'failed');
    applyAction(run, { kind: 'retry', by });
    expect(refusalOfAction(run, { kind: 'fail', by })?.detail).toContain('retry is under way already');
    applyDecision(run, 'retry');
    run.entering = 'PROCESSING';
    expect(refusalOfAction(run, cancel('GRACEFUL'))).toBeUndefined();
    expect(refusalOfAction(run, { kind: 'retry', by })?.detail).toContain('is in state PROCESSING');
  });

  it('a step that is being skipped counts as skipped', () => {
    const run = runWith('PROCESSING', 'running');
    expect(applyAction(run, actionOn('skipStep'))).toEqual([JOIN]);
    expect(refusalOfAction(run, actionOn('retryStep'))?.detail).toContain(`${JOIN} is skipped`);
  });
});
