import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Move, newPlay, play } from '../../test/testing/domain/operation-play.ts';
import { sampleStep } from '../../test/testing/domain/sample-step.ts';
import { STEP_KINDS, type StepKind } from '../steps/index.ts';
import type { OperatorAction } from './operator-actions.ts';
import type { Plan } from './plan.ts';
import { isFinal, OPERATION_STATES, type OperationState } from './state.ts';
import { STEP_CONTROLS, type StepControl } from './step-control.ts';

const by = 'tester';
function actionOn(kind: StepControl, stepId: string): OperatorAction {
  return kind === 'skipStep' ? { kind, stepId, by, reason: 'by hand' } : { kind, stepId, by };
}

/** A plan of up to eight steps of all kinds, each after any of those before it. */
const plans = fc
  .array(fc.tuple(fc.constantFrom(...Object.keys(STEP_KINDS)), fc.bigInt({ min: 0n, max: 255n })), {
    minLength: 1,
    maxLength: 8,
  })
  .map(
    (drawn): Plan => ({
      operation: 'INSTANTIATE',
      direction: 'forward',
      rollbackSupported: true,
      steps: drawn.map(([kind, after], index) =>
        sampleStep(kind as StepKind, {
          id: `s${index}`,
          after: Array.from({ length: index }, (_, earlier) => `s${earlier}`).filter(
            (_, earlier) => (after >> BigInt(earlier)) & 1n,
          ),
        }),
      ),
    }),
  );

const stepIds = fc.integer({ min: 0, max: 8 }).map((index) => `s${index}`);
const actions: fc.Arbitrary<OperatorAction> = fc.oneof(
  fc.constantFrom('retry', 'rollback', 'fail').map((kind) => ({ kind, by }) as const),
  fc.constantFrom('GRACEFUL', 'FORCEFUL').map((cancelMode) => ({ kind: 'cancel', cancelMode, by }) as const),
  fc.tuple(fc.constantFrom(...STEP_CONTROLS), stepIds).map(([kind, stepId]) => actionOn(kind, stepId)),
);
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('turn' as const) },
  { weight: 3, arbitrary: fc.record({ end: fc.nat(7), how: fc.constantFrom('done', 'failed') }) },
  { weight: 3, arbitrary: fc.record({ action: actions }) },
);

it('whatever happens, final states are final, finished steps are not repeated, nothing starts while paused or cancelled, refusals change nothing', () => {
  const reached = new Set<OperationState>();
  fc.assert(
    fc.property(plans, fc.array(moves, { maxLength: 60, size: 'medium' }), (plan, sequence) => {
      const game = newPlay(plan);
      for (const move of sequence) {
        const before = game.run.state;
        play(game, move);
        if (isFinal(before)) expect(game.run.state).toBe(before);
        reached.add(game.run.state);
      }
    }),
    { numRuns: 12_000 },
  );
  expect(reached).toEqual(new Set(OPERATION_STATES));
}, 240_000);

it('an operation that is left in peace comes to rest', () => {
  fc.assert(
    fc.property(plans, fc.array(moves, { maxLength: 40 }), (plan, sequence) => {
      const game = newPlay(plan);
      for (const move of sequence) play(game, move);
      for (let turn = 0; turn < 40; turn++) {
        play(game, 'turn');
        for (const [id, condition] of game.run.conditions)
          if (condition === 'paused') play(game, { action: actionOn('resume', id) });
        for (let index = 0; index < 8; index++) play(game, { end: 0, how: 'done' });
      }
      expect([...OPERATION_STATES].filter((state) => isFinal(state) || state === 'FAILED_TEMP')).toContain(
        game.run.state,
      );
    }),
    { numRuns: 2_000 },
  );
});
