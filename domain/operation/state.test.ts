import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  CONTROLS,
  isFinal,
  nextState,
  OPERATION_STATES,
  type OperationEvent,
  type OperationState,
  refusalOf,
} from './state.ts';

const EVENTS = ['granted', 'refused', 'done', 'error', ...CONTROLS] as const satisfies readonly OperationEvent[];

it('has exactly the transitions of SOL003 as Tacker runs them', () => {
  const table = OPERATION_STATES.flatMap((state) =>
    EVENTS.flatMap((event) => {
      const next = nextState(state, event);
      return next === undefined ? [] : [`${state} ${event} ${next}`];
    }),
  );
  expect(table).toEqual([
    'STARTING granted PROCESSING',
    'STARTING refused ROLLED_BACK',
    'STARTING cancel ROLLED_BACK',
    'PROCESSING done COMPLETED',
    'PROCESSING error FAILED_TEMP',
    'PROCESSING cancel FAILED_TEMP',
    'FAILED_TEMP retry PROCESSING',
    'FAILED_TEMP rollback ROLLING_BACK',
    'FAILED_TEMP fail FAILED',
    'ROLLING_BACK done ROLLED_BACK',
    'ROLLING_BACK error FAILED_TEMP',
    'ROLLING_BACK cancel FAILED_TEMP',
  ]);
});

it('ends only in COMPLETED, FAILED or ROLLED_BACK', () => {
  expect(OPERATION_STATES.filter(isFinal)).toEqual(['COMPLETED', 'FAILED', 'ROLLED_BACK']);
});

it('lets an operator decide in FAILED_TEMP and cancel what is under way, and says in which state the operation is', () => {
  const allowed = CONTROLS.flatMap((control) =>
    OPERATION_STATES.filter((state) => refusalOf(control, undoable, state) === undefined).map(
      (state) => `${control} ${state}`,
    ),
  );
  expect(allowed).toEqual([
    'retry FAILED_TEMP',
    'rollback FAILED_TEMP',
    'fail FAILED_TEMP',
    'cancel STARTING',
    'cancel PROCESSING',
    'cancel ROLLING_BACK',
  ]);
  for (const state of OPERATION_STATES) {
    for (const control of CONTROLS) {
      const refusal = refusalOf(control, undoable, state);
      if (refusal) expect(refusal).toMatchObject({ code: 'OPERATION_STATE', detail: expect.stringContaining(state) });
    }
  }
});

const undoable = { operation: 'INSTANTIATE', rollbackSupported: true } as const;
const final = { operation: 'TERMINATE', rollbackSupported: false } as const;

it('refuses the rollback of a terminate', () => {
  expect(refusalOf('rollback', final, 'FAILED_TEMP')).toMatchObject({ code: 'ROLLBACK_NOT_SUPPORTED' });
  expect(refusalOf('retry', final, 'FAILED_TEMP')).toBeUndefined();
});

it('never leaves a final state, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
      let state: OperationState = 'STARTING';
      for (const event of events) {
        const next: OperationState | undefined = nextState(state, event);
        if (isFinal(state)) expect(next).toBeUndefined();
        state = next ?? state;
      }
      expect(OPERATION_STATES).toContain(state);
    }),
    { numRuns: 10_000 },
  );
});
