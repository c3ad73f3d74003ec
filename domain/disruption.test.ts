import { expect, it } from 'vitest';
import { planInstantiate, planScale } from '../test/testing/domain/cluster-plans.ts';
import { disruptionOf, type ExistingNode } from './disruption.ts';
import { step } from './operation/plan.ts';
import { planTerminate } from './stack-plans/terminate.ts';

const node = (slot: string, label: string): ExistingNode => ({
  slot,
  label,
  role: slot.startsWith('master') ? 'master' : 'worker',
});
const NODES = [node('masterNode[0]', 'm0'), node('workerNode[0]', 'w0'), node('workerNode[1]', 'w1')];
const one = { members: 1, majority: 1, tolerates: 0 };
const none = { members: 0, majority: 0, tolerates: 0 };

it('instantiate brings nodes and a majority; there is nothing to disturb', () => {
  const shape = {
    controlPlane: { vduId: 'masterNode', count: 3 },
    workers: { vduId: 'workerNode', count: 1 },
    loadBalanced: true,
  };
  expect(disruptionOf(planInstantiate(shape), [])).toEqual({
    added: ['masterNode[0]', 'masterNode[1]', 'masterNode[2]', 'workerNode[0]'],
    removed: [],
    replaced: [],
    drained: [],
    touched: [],
    untouched: [],
    quorum: { before: none, lowest: none, after: { members: 3, majority: 2, tolerates: 1 } },
  });
});

it('scale out leaves the workers alone, and visits the control plane', () => {
  const plan = planScale({ type: 'SCALE_OUT', vduId: 'workerNode', count: 2, by: 1, slots: ['workerNode[2]'] });
  expect(disruptionOf(plan, NODES)).toMatchObject({
    added: ['workerNode[2]'],
    drained: [],
    touched: ['m0'],
    untouched: ['w0', 'w1'],
    quorum: { before: one, lowest: one, after: one },
  });
});

it('scale in drains and removes a worker, and leaves the others alone', () => {
  const plan = planScale({ type: 'SCALE_IN', vduId: 'workerNode', count: 2, by: 1, slots: ['workerNode[1]'] });
  expect(disruptionOf(plan, NODES)).toMatchObject({
    added: [],
    removed: ['w1'],
    drained: ['w1'],
    touched: ['m0'],
    untouched: ['w0'],
  });
});

it('terminate removes everything, without a login', () => {
  expect(disruptionOf(planTerminate({ terminationType: 'FORCEFUL' }), NODES)).toMatchObject({
    removed: ['m0', 'w0', 'w1'],
    touched: [],
    untouched: [],
    quorum: { before: one, lowest: none, after: none },
  });
});

it('counts the members of etcd through the plan', () => {
  const masters = [0, 1, 2].map((index) => node(`masterNode[${index}]`, `m${index}`));
  const join = step('joinControlPlane', [], { slot: 'masterNode[3]' });
  expect(disruptionOf({ steps: [join] }, masters)).toMatchObject({
    added: ['masterNode[3]'],
    touched: ['m0', 'm1', 'm2'],
    quorum: { before: { members: 3, majority: 2, tolerates: 1 }, after: { members: 4, majority: 3, tolerates: 1 } },
  });
});

it('a restore begins a new membership, which grows to the size of the old one', () => {
  const masters = [0, 1, 2].map((index) => node(`masterNode[${index}]`, `m${index}`));
  const restore = step('restoreControlPlane', [], { slot: 'masterNode[0]' });
  const joins = [1, 2].map((index) => step('joinControlPlane', [restore], { slot: `masterNode[${index}]` }));
  const three = { members: 3, majority: 2, tolerates: 1 };
  expect(disruptionOf({ steps: [restore, ...joins] }, masters).quorum).toEqual({
    before: three,
    lowest: none,
    after: three,
  });
});
