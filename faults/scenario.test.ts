import { expect, it } from 'vitest';
import { KINDS, scenarioOf } from './scenario.ts';

const wish = { victim: 'temporal', operations: 20 } as const;

it('repeats a round by its seed, and another seed gives another round', () => {
  expect(scenarioOf(7, wish)).toEqual(scenarioOf(7, wish));
  expect(scenarioOf(8, wish)).not.toEqual(scenarioOf(7, wish));
});

it('five rounds have each kind of burst once, with twenty operations and a kill in it', () => {
  const rounds = [1, 2, 3, 4, 5].map((seed) => scenarioOf(seed, wish));
  expect(new Set(rounds.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  expect(rounds.every(({ parts, killAfter }) => parts.length === 20 && killAfter.answers < 20)).toBe(true);
});

it('options of the command line override the seed', () => {
  expect(scenarioOf(3, { ...wish, kind: 'fail', victim: 'api', operations: 2 })).toMatchObject({
    kind: 'fail',
    victim: 'api',
    parts: [{}, {}],
  });
});
