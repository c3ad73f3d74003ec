import { expect, it } from 'vitest';
import { planExitCode } from './plan.ts';

it('shows by the exit code of `vnflow plan` whether there is something to do', () => {
  const step = { id: 'a', kind: 'a', summary: 'a', after: [], commands: [], expectedSeconds: 1 };
  expect([planExitCode({ steps: [step] }), planExitCode({ steps: [] })]).toEqual([2, 0]);
});
