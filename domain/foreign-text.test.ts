import { expect, it } from 'vitest';
import { foreignText, foreignValue, mayHoldHarm } from './foreign-text.ts';
import { VnflowError } from './problems.ts';

it.each([
  ['a NUL', 'a\u0000b', 'ab'],
  ['a bell and a backspace', 'a\u0007b\u0008c', 'abc'],
  ['C1 controls', 'a\u009b31mb\u0085c', 'abc'],
  ['colours', 'a\u001b[31mred\u001b[0m', 'ared'],
  ['the title of a terminal', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a change of direction', 'user\u202egnp.exe\u2066x\u2069', 'usergnp.exex'],
  ['half a character', 'a\ud83db\udc00', 'ab'],
  ['carriage returns', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],
  ['nothing harmful', 'tab\tline\n– ünï 日本 😀', 'tab\tline\n– ünï 日本 😀'],
])('text with %s', (_, text, cleaned) => {
  expect(foreignText(text)).toBe(cleaned);
  expect(foreignText(foreignText(text))).toBe(cleaned);
  expect(mayHoldHarm(JSON.stringify([text]))).toBe(text !== cleaned);
});

it('is applied to names and strings of a value, at any depth', () => {
  expect(foreignValue({ 'a\u0000': ['b\u202e', { c: 'd\u0007', n: 1, z: null, t: true }] })).toEqual({
    a: ['b', { c: 'd', n: 1, z: null, t: true }],
  });
});

it('is applied to every problem: what a service or a node says reaches no store and no terminal as it is', () => {
  const problem = new VnflowError('VIM_REJECTED', { detail: 'Heat: \u0000\u001b[2Jbad', seen: 'x\u202ey' });
  expect([problem.message, problem.seen]).toEqual(['Heat: bad', 'xy']);
});
