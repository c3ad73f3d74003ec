import { expect, it } from 'vitest';
import { createPlan, type PlanStep } from './plan.ts';

const planOf = (...steps: PlanStep[]) =>
  createPlan({ operation: 'HEAL', direction: 'forward', rollbackSupported: false, steps });
const step = (id: string, ...after: string[]): PlanStep => ({ id, kind: 'discover', after });

it('takes a plan without steps, and steps in any order', () => {
  expect(planOf().steps).toEqual([]);
  expect(planOf(step('c', 'a', 'b'), step('b', 'a'), step('a')).steps).toHaveLength(3);
});

it('refuses two steps with one id: the second would count as done with the first', () => {
  expect(() => planOf(step('a'), step('b'), step('a'))).toThrow('The HEAL plan has two steps with the id a.');
});

it('refuses a step that waits for one which the plan does not have: it would wait for ever', () => {
  expect(() => planOf(step('a'), step('b', 'a', 'x'))).toThrow('b of the HEAL plan waits for x, which it lacks.');
});

it('refuses steps that wait for each other, or for themselves', () => {
  expect(() => planOf(step('a'), step('b', 'a', 'd'), step('c', 'b'), step('d', 'c'))).toThrow(
    'Steps of the HEAL plan wait in a cycle: b, c, d.',
  );
  expect(() => planOf(step('a', 'a'))).toThrow('Steps of the HEAL plan wait in a cycle: a.');
});
