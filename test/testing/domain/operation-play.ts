import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { applyAction, type OperatorAction, refusalOfAction } from '../../../domain/operation/operator-actions.ts';
import { type Plan, step } from '../../../domain/operation/plan.ts';
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
} from '../../../domain/operation/run.ts';
import { isFinal, nextState, type OperationEvent } from '../../../domain/operation/state.ts';

/** What may happen next: an operator's action, the end of an attempt, or the workflow's turn. */
export type Move =
  | { readonly action: OperatorAction }
  | { readonly end: number; readonly how: 'done' | 'failed' }
  | 'turn';

/** An operation that a test plays without a workflow, and what the test has seen of it. */
export interface Play {
  readonly run: OperationRun;
  readonly plan: Plan;
  /** Steps of the present plan that are done or skipped. */
  readonly finished: Set<string>;
  /** Steps whose attempt has an order to stop. */
  readonly stopping: Set<string>;
}

const ROLLBACK: Plan = {
  operation: 'INSTANTIATE',
  direction: 'rollback',
  rollbackSupported: true,
  steps: [step('deleteStack', []), { id: 's0', kind: 'forgetCluster', after: ['deleteStack'] }],
};

export function newPlay(plan: Plan): Play {
  return { run: newRun('INSTANTIATE'), plan, finished: new Set(), stopping: new Set() };
}

/** Does what workflows/operation.ts and workflows/executor.ts do with a run, and fails when a promise is broken. */
export function play(game: Play, move: Move): void {
  if (move === 'turn') turn(game);
  else if ('action' in move) ask(game, move.action);
  else endOneAttempt(game, move);
}

function ask({ run, stopping }: Play, action: OperatorAction): void {
  const before = structuredClone(run);
  if (refusalOfAction(run, action)) {
    // the matcher takes most of the test's time: it is left to show a difference
    if (!isDeepStrictEqual(run, before)) expect(run).toEqual(before);
    return;
  }
  expect(isFinal(run.state)).toBe(false);
  for (const id of applyAction(run, action)) stopping.add(id);
}

function endOneAttempt({ run, stopping, finished }: Play, { end, how }: { end: number; how: 'done' | 'failed' }): void {
  const running = [...run.conditions].filter(([, condition]) => condition === 'running').map(([id]) => id);
  const id = running[end % running.length];
  if (id === undefined) return;
  const stopped = stopping.delete(id) && how === 'failed';
  const failure = { stepId: id, code: 'NODE_COMMAND_FAILED', detail: 'no' } as const;
  endAttempt(run, id, stopped ? { kind: 'stopped' } : how === 'done' ? { kind: 'done' } : { kind: 'failed', failure });
  if (['done', 'skipped'].includes(run.conditions.get(id) ?? '')) finished.add(id);
}

function turn(game: Play): void {
  const { run } = game;
  if (isFinal(run.state)) return;
  if (run.state === 'STARTING') start(game);
  else if (run.state === 'FAILED_TEMP') decide(game);
  else execute(game);
}

function start({ run, plan }: Play): void {
  if (!run.cancel) setPlan(run, plan);
  enter(run, run.cancel ? 'cancel' : 'granted');
}

function execute({ run, finished }: Play): void {
  for (const { id } of startableSteps(run)) {
    expect(run.cancel).toBeUndefined();
    expect(run.conditions.get(id)).toBe('waiting');
    expect(finished).not.toContain(id);
    beginAttempt(run, id);
  }
  if (!isAtRest(run)) return;
  if (run.cancel) enter(run, 'cancel');
  else enter(run, failuresOf(run).length === 0 ? 'done' : 'error');
}

function decide({ run, finished }: Play): void {
  const { decision, plan } = run;
  if (decision === undefined) return;
  const otherPlan = decision !== 'fail' && (decision === 'rollback') !== (plan?.direction === 'rollback');
  if (otherPlan) finished.clear();
  applyDecision(run, decision, ROLLBACK);
  enter(run, decision);
}

function enter(run: OperationRun, event: OperationEvent): void {
  expect([...run.conditions.values()]).not.toContain('running');
  const next = nextState(run.state, event);
  if (next === undefined) throw new Error(`${run.state} has no way by ${event}`);
  confirmState(run, next);
}
