import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actionOf, EXAMPLES } from './action-arguments.ts';
import { CONTROLS } from './state.ts';
import { STEP_CONTROLS } from './step-control.ts';

const KINDS = [...CONTROLS, ...STEP_CONTROLS];

it('takes exactly what its examples show, from a person at the Temporal UI', () => {
  for (const kind of KINDS) {
    const sent = JSON.parse(EXAMPLES[kind]) as object;
    expect(actionOf(kind, sent)).toEqual({ action: { kind, ...sent, by: 'an operator at the Temporal server' } });
  }
  expect(actionOf('retry', undefined)).toEqual({ action: { kind: 'retry', by: 'an operator at the Temporal server' } });
});

it.each([
  ['cancel', undefined, /^cancelMode is GRACEFUL or FORCEFUL, as in \{"cancelMode": "GRACEFUL"\}\.$/],
  ['cancel', { cancelMode: 'SOFT' }, /^cancelMode is/],
  ['skipStep', { stepId: 's' }, /^skipStep needs a reason/],
  ['skipStep', { stepId: 's', reason: ' ' }, /^skipStep needs a reason/],
  ['skipStep', { reason: 'r' }, /^skipStep needs the id of a step/],
  ['pauseBefore', 'installCni', /^pauseBefore needs an object/],
  ['resume', ['installCni'], /^resume needs an object/],
  ['retry', { by: 7 }, /^by is a text/],
  ['retry', { by: 'x'.repeat(201) }, /^by is a text/],
] as const)('says what is wrong with %s %j', (kind, sent, words) => {
  expect(actionOf(kind, sent)).toEqual({ wrong: expect.stringMatching(words) });
});

it('survives anything that is typed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.anything(), (kind, sent) => {
      const read = actionOf(kind, sent);
      if ('action' in read) expect(read.action.by.length).toBeLessThanOrEqual(200);
      else expect(read.wrong).toMatch(/\.$/);
    }),
  );
});
