import { expect, it } from 'vitest';
import { capacityProblems, type Growth } from './capacity.ts';

const used = { instances: 5, cores: 10, ram: 20_480 };
const growth = (more: Partial<Growth> = {}): Growth => ({
  by: 2,
  flavor: { name: 'm1.medium', cores: 2, ram: 4096 },
  servers: ['w0', 'w1'],
  groups: [{ name: 'workers', policies: ['anti-affinity'], members: ['w0', 'w1'] }],
  ...more,
});

it('a heal needs no spare, only a quota that is not overdrawn', () => {
  expect(capacityProblems({ used, most: used })).toEqual([]);
  expect(capacityProblems({ used, most: { ...used, instances: 4 } })).toEqual([
    'Quota for instances: 5 of 4 are used, 0 more are needed.',
  ]);
});

it('a scale out needs its servers, with the cores and the memory of their flavor', () => {
  const most = { instances: 7, cores: 14, ram: 28_672 };
  expect(capacityProblems({ used, most }, growth())).toEqual([]);
  expect(capacityProblems({ used, most: { instances: 6, cores: 13, ram: 28_671 } }, growth())).toEqual([
    'Quota for instances: 5 of 6 are used, 2 more are needed.',
    'Quota for cores: 10 of 13 are used, 4 more are needed.',
    'Quota for ram: 20480 of 28671 are used, 8192 more are needed.',
  ]);
  expect(capacityProblems({ used, most: { instances: -1, cores: -1, ram: -1 } }, growth())).toEqual([]);
});

it('a strict group needs a host for each server; what a user may not see is not guessed', () => {
  const unlimited = { used, most: { instances: -1, cores: -1, ram: -1 } };
  expect(capacityProblems(unlimited, growth({ hosts: 4 }))).toEqual([]);
  expect(capacityProblems(unlimited, growth({ hosts: 3 }))).toEqual([
    'Server group workers (anti-affinity) has 2 servers, 2 more are needed, and there are 3 compute hosts.',
  ]);
  const soft = [{ name: 'workers', policies: ['soft-anti-affinity'], members: ['w0', 'w1'] }];
  expect(capacityProblems(unlimited, growth({ hosts: 3, groups: soft }))).toEqual([]);
  expect(capacityProblems(unlimited, growth({ hosts: 3, servers: ['other'] }))).toEqual([]);
});
