import { expect, it } from 'vitest';
import { outcomeCodeOf } from './outcome-code.ts';
import { VnflowError } from './problems.ts';

it('names problems and failures by their codes, and nothing by its text', () => {
  const failure = Object.assign(new Error('secret'), { type: 'NODE_COMMAND_FAILED' });
  expect(outcomeCodeOf(new VnflowError('NODE_UNREACHABLE', { detail: 'secret' }))).toBe('NODE_UNREACHABLE');
  expect(outcomeCodeOf(failure)).toBe('NODE_COMMAND_FAILED');
  expect(outcomeCodeOf(Object.assign(new Error(), { code: 'the secret text' }))).toBe('OTHER');
  expect(outcomeCodeOf(AbortSignal.abort().reason)).toBe('ABORTED');
  expect(outcomeCodeOf(Object.assign(new Error(), { name: 'CancelledFailure' }))).toBe('ABORTED');
  expect(outcomeCodeOf('secret')).toBe('OTHER');
});
