import { expect, it } from 'vitest';
import { readySteps } from '../operation/plan.ts';
import { planModifyInfo } from './modify-info.ts';
import { withPackageCode } from './package-code-steps.ts';
import { planTerminate } from './terminate.ts';

const plan = planTerminate({ terminationType: 'FORCEFUL' });
const order = (of: typeof plan) => of.steps.map(({ id, after }) => [id, ...after]);

it('a plan without code of the package stays as it is', () => {
  expect(withPackageCode(plan, {})).toBe(plan);
});

it('the hook of the start comes first, then user data, then the operation, then the hook of the end', () => {
  const made = withPackageCode(plan, { userData: true, start: 'terminate_start', end: 'terminate_end' });
  expect(order(made)).toEqual([
    ['runHook-terminate_start'],
    ['runUserData', 'runHook-terminate_start'],
    ['deleteStack', 'runUserData'],
    ['forgetCluster', 'deleteStack'],
    ['runHook-terminate_end', 'forgetCluster'],
  ]);
  expect(readySteps(made, () => 'waiting')).toHaveLength(1);
});

it('hooks around an operation without steps run one after the other', () => {
  const code = { start: 'modify_information_start', end: 'modify_information_end' };
  expect(order(withPackageCode(planModifyInfo('forward'), code))).toEqual([
    ['runHook-modify_information_start'],
    ['runHook-modify_information_end', 'runHook-modify_information_start'],
  ]);
});
