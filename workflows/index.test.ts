import { expect, it } from 'vitest';
import { LCM_OPERATIONS } from '../domain/operations.ts';
import * as workflows from './index.ts';

it('has a workflow for every LCM operation', () => {
  const needed = Object.values(LCM_OPERATIONS).map(({ workflowType }) => workflowType);
  expect(Object.keys(workflows)).toEqual(expect.arrayContaining(needed));
});
