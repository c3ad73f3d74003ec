import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planInstantiate, planScale, planScaleOutRollback } from '../../../test/testing/domain/cluster-plans.ts';
import { criticalPath, type Plan, readySteps } from '../../operation/plan.ts';
import { slotNames } from '../../slot.ts';
import { planInstantiateRollback } from '../../stack-plans/instantiate.ts';
import { planTerminate } from '../../stack-plans/terminate.ts';
import { STEP_KINDS, stepSummary } from '../../steps/index.ts';

const shape = (workers: number, masters = 1) => ({
  controlPlane: { vduId: 'masterNode', count: masters },
  workers: { vduId: 'workerNode', count: workers },
  loadBalanced: masters > 1,
});
const seconds = (entry: Plan['steps'][number]) => STEP_KINDS[entry.kind].expectedSeconds;

/** Runs a plan as the executor does: waves of all ready steps. */
function waves(plan: Plan): string[][] {
  const done = new Set<string>();
  const result: string[][] = [];
  for (;;) {
    const ready = readySteps(plan, (id) => (done.has(id) ? 'done' : 'waiting'));
    if (ready.length === 0) return result;
    result.push(ready.map(({ id }) => id));
    for (const { id } of ready) done.add(id);
  }
}

it('prepares all nodes at once, then joins workers while Cilium is installed', () => {
  expect(waves(planInstantiate(shape(2)))).toEqual([
    ['applyStack'],
    ['discover'],
    ['prepareNode-masterNode-0', 'prepareNode-workerNode-0', 'prepareNode-workerNode-1'],
    ['initControlPlane-masterNode-0'],
    ['installCni-masterNode-0', 'joinWorker-workerNode-0', 'joinWorker-workerNode-1'],
    ['verifyCluster-masterNode-0'],
    ['snapshotEtcd-masterNode-0'],
    ['scheduleSnapshots'],
  ]);
});

it('prepares and balances all control-plane nodes at once, and lets them join one after another', () => {
  expect(waves(planInstantiate(shape(1, 3)))).toEqual([
    ['applyStack'],
    ['discover'],
    ['prepareNode-masterNode-0', 'prepareNode-masterNode-1', 'prepareNode-masterNode-2', 'prepareNode-workerNode-0'],
    ['loadBalancer-masterNode-0', 'loadBalancer-masterNode-1', 'loadBalancer-masterNode-2'],
    ['initControlPlane-masterNode-0'],
    ['installCni-masterNode-0', 'joinControlPlane-masterNode-1', 'joinWorker-workerNode-0'],
    ['joinControlPlane-masterNode-2'],
    ['verifyCluster-masterNode-0'],
    ['snapshotEtcd-masterNode-0'],
    ['scheduleSnapshots'],
  ]);
});

it.each([1, 3])(
  'registers the cluster as a VIM before its first backup, and only when the request names one (%i control-plane nodes)',
  (masters) => {
    const named = planInstantiate({ ...shape(2, masters), vimNamed: true });
    expect(waves(named).slice(-4)).toEqual([
      ['verifyCluster-masterNode-0'],
      ['registerVim-masterNode-0'],
      ['snapshotEtcd-masterNode-0'],
      ['scheduleSnapshots'],
    ]);
    const without = named.steps.filter(({ kind }) => kind !== 'registerVim').map(({ id }) => id);
    expect(without).toEqual(planInstantiate(shape(2, masters)).steps.map(({ id }) => id));
    expect(planInstantiate({ ...shape(2, masters), vimNamed: false })).toEqual(planInstantiate(shape(2, masters)));
  },
);

it('has a critical path that does not grow with the number of workers', () => {
  const path = (workers: number) => criticalPath(planInstantiate(shape(workers)), seconds).seconds;
  expect(path(500)).toBe(path(1));
});

it('gives each worker two remote steps and the control-plane node at most five, whatever the size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), (workers) => {
      const bySlot = Map.groupBy(planInstantiate(shape(workers)).steps, ({ slot }) => slot);
      for (const [slot, steps] of bySlot) {
        if (slot?.startsWith('workerNode'))
          expect(steps.map(({ kind }) => kind)).toEqual(['prepareNode', 'joinWorker']);
        if (slot?.startsWith('masterNode')) expect(steps.length).toBe(5);
      }
      expect(bySlot.size).toBe(workers + 2); // and the steps on no node
    }),
  );
});

it('runs every step of every plan: unique ids, no cycle, no missing predecessor', () => {
  for (const plan of [
    planInstantiate(shape(3)),
    planInstantiateRollback(),
    planTerminate({ terminationType: 'GRACEFUL' }),
    planTerminate({ terminationType: 'FORCEFUL' }),
  ]) {
    expect(waves(plan).flat().sort()).toEqual(plan.steps.map(({ id }) => id).sort());
    expect(new Set(plan.steps.map(({ id }) => id)).size).toBe(plan.steps.length);
  }
});

it('waits for the graceful termination timeout before it deletes, ten seconds unless the request says otherwise', () => {
  expect(
    planTerminate({ terminationType: 'GRACEFUL' }).steps.map((one) => [
      one.kind,
      'seconds' in one ? one.seconds : undefined,
    ]),
  ).toEqual([
    ['gracePeriod', 10],
    ['deleteStack', undefined],
    ['forgetCluster', undefined],
  ]);
  expect(planTerminate({ terminationType: 'GRACEFUL', gracefulTerminationTimeout: 3 }).steps[0]).toMatchObject({
    seconds: 3,
  });
  expect(planTerminate({ terminationType: 'FORCEFUL' }).steps.map(({ kind }) => kind)).toEqual([
    'deleteStack',
    'forgetCluster',
  ]);
});

it('names the steps of the critical path', () => {
  const { steps, seconds: total } = criticalPath(planInstantiate(shape(2)), seconds);
  expect(steps.map(({ kind }) => kind)).toEqual([
    'applyStack',
    'discover',
    'prepareNode',
    'initControlPlane',
    'installCni',
    'verifyCluster',
    'snapshotEtcd',
    'scheduleSnapshots',
  ]);
  expect(total).toBe(steps.map(seconds).reduce((a, b) => a + b, 0));
});

it('refuses a plan with a cycle', () => {
  const cyclic: Plan = {
    operation: 'INSTANTIATE',
    direction: 'forward',
    rollbackSupported: true,
    steps: [
      { id: 'a', kind: 'discover', after: ['b'] },
      { id: 'b', kind: 'discover', after: ['a'] },
    ],
  };
  expect(() => criticalPath(cyclic, seconds)).toThrow(/cycle/);
});

const scale = { vduId: 'workerNode', count: 3, by: 2 };
const added = { ...scale, type: 'SCALE_OUT', slots: ['workerNode[3]', 'workerNode[4]'] } as const;

it('scales out by touching the new workers only, all at once, and ends with a backup', () => {
  expect(waves(planScale(added))).toEqual([
    ['growStack'],
    ['discover'],
    ['prepareNode-workerNode-3', 'prepareNode-workerNode-4'],
    ['joinWorker-workerNode-3', 'joinWorker-workerNode-4'],
    ['snapshotEtcd'],
  ]);
});

it('scales in: out of the cluster, out of the stack, and what came back of them out of the cluster', () => {
  const plan = planScale({ ...scale, type: 'SCALE_IN', slots: ['workerNode[1]', 'workerNode[2]'] });
  expect(waves(plan)).toEqual([['removeWorkers'], ['shrinkStack'], ['discover'], ['forgetNodes'], ['snapshotEtcd']]);
  expect(plan.steps[0]).toMatchObject({ workers: ['workerNode[1]', 'workerNode[2]'] });
  expect(plan.rollbackSupported).toBe(false);
});

it('undoes a scale out without a backup: the newest one is of the cluster as it is then', () => {
  const plan = planScaleOutRollback(added);
  expect(waves(plan)).toEqual([['removeWorkers'], ['shrinkStack'], ['discover'], ['forgetNodes']]);
  expect(plan).toMatchObject({
    direction: 'rollback',
    steps: [{ workers: ['workerNode[3]', 'workerNode[4]'] }, {}, {}, {}],
  });
});

it('names the node of a backup, if the plan names one', () => {
  const [named, any] = [{ source: 'masterNode[1]' }, {}].map((input) =>
    stepSummary({ kind: 'snapshotEtcd', ...input }),
  );
  expect(named).toBe('back up etcd and the keys of the cluster from masterNode[1]');
  expect(any).toBe('back up etcd and the keys of the cluster from a control-plane node');
});

it('has a critical path for 100 more workers that is that of one more', () => {
  const path = (by: number) =>
    criticalPath(planScale({ ...added, by, slots: slotNames('workerNode', by) }), seconds).seconds;
  expect(path(100)).toBe(path(1));
});
