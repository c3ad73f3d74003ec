import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planHeal } from '../../../test/testing/domain/cluster-plans.ts';
import { survey } from '../../../test/testing/domain/survey.ts';
import { criticalPath, type Plan } from '../../operation/plan.ts';
import { slotName } from '../../slot.ts';
import { otherSlotsOf, slotsOf } from '../../steps/index.ts';
import type { HealFacts } from './heal-facts.ts';

const facts = (
  of: Partial<HealFacts> & { masters?: number; recreate?: boolean } = {},
): HealFacts & { recreate?: boolean } => ({
  shape: {
    controlPlane: { vduId: 'masterNode', count: of.masters ?? 3 },
    workers: { vduId: 'workerNode', count: 3 },
    loadBalanced: (of.masters ?? 3) > 1,
  },
  controlPlane: [],
  workers: [],
  others: [],
  allowRestore: false,
  ...of,
});
const master = (index: number) => slotName('masterNode', index);
const worker = (index: number) => slotName('workerNode', index);

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);
const edges = ({ steps }: Plan) => Object.fromEntries(steps.map(({ id, after }) => [id, after]));
/** Does `later` wait for `earlier`, directly or not? */
function waits(plan: Plan, later: string, earlier: string): boolean {
  const { after } = plan.steps.find(({ id }) => id === later) ?? { after: [] };
  return after.some((id) => id === earlier || waits(plan, id, earlier));
}

it('heals a worker: drained, replaced, prepared, joined, and a backup from the first control-plane node that gives one; nothing else', () => {
  expect(edges(planHeal(facts({ workers: [worker(1)] })))).toEqual({
    removeWorkers: [],
    replaceServers: ['removeWorkers'],
    discover: ['replaceServers'],
    forgetNodes: ['discover'],
    'prepareNode-workerNode-1': ['discover'],
    'joinWorker-workerNode-1': ['prepareNode-workerNode-1', 'forgetNodes'],
    snapshotEtcd: ['joinWorker-workerNode-1'],
  });
});

it('heals a control-plane node: out of the load balancers and etcd before its server goes, back in after it has joined', () => {
  expect(edges(planHeal(facts({ controlPlane: [master(1)] }), survey(3, [1])))).toEqual({
    'discover-0': [],
    'excludeFromLoadBalancers-masterNode-1': ['discover-0'],
    'removeControlPlane-masterNode-1': ['excludeFromLoadBalancers-masterNode-1'],
    'replaceServers-masterNode-1': ['removeControlPlane-masterNode-1'],
    'discover-masterNode-1': ['replaceServers-masterNode-1'],
    'prepareNode-masterNode-1': ['discover-masterNode-1'],
    'loadBalancer-masterNode-1': ['prepareNode-masterNode-1'],
    'joinControlPlane-masterNode-1': ['loadBalancer-masterNode-1', 'removeControlPlane-masterNode-1'],
    'includeInLoadBalancers-masterNode-1': ['joinControlPlane-masterNode-1'],
    'snapshotEtcd-masterNode-1': ['includeInLoadBalancers-masterNode-1'],
  });
});

it('registers the VIM anew, then takes a backup, when control-plane nodes were healed, from one of them; a worker changes nothing of it', () => {
  const shape = { ...facts().shape, vimNamed: true };
  const victims = [master(0), master(2)];
  for (const dead of [[], [0], [2]]) {
    const plan = planHeal(facts({ shape, controlPlane: victims }), survey(3, dead));
    expect(ids(plan).slice(-2)).toEqual(['registerVim-masterNode-2', 'snapshotEtcd-masterNode-2']);
    for (const slot of ['masterNode-0', 'masterNode-2'])
      expect(waits(plan, 'registerVim-masterNode-2', `includeInLoadBalancers-${slot}`)).toBe(true);
  }
  expect(ids(planHeal(facts({ shape, workers: [worker(1)] })))).not.toContain('registerVim-masterNode-0');
});

it('lets both dead of five leave before either joins, replaces both with one update of the stack, and prepares them side by side', () => {
  const plan = planHeal(facts({ masters: 5, controlPlane: [master(1), master(3)] }), survey(5, [1, 3]));
  for (const slot of ['masterNode-1', 'masterNode-3']) {
    expect(waits(plan, `joinControlPlane-${slot}`, 'removeControlPlane-masterNode-1')).toBe(true);
    expect(waits(plan, `joinControlPlane-${slot}`, 'removeControlPlane-masterNode-3')).toBe(true);
  }
  const excluded = plan.steps.filter(({ kind }) => kind === 'excludeFromLoadBalancers');
  expect(excluded.map(otherSlotsOf)).toEqual([
    [master(1), master(3)],
    [master(1), master(3)],
  ]);
  expect(waits(plan, 'prepareNode-masterNode-3', 'prepareNode-masterNode-1')).toBe(false);
  expect(plan.steps.filter(({ kind }) => kind === 'replaceServers').map((one) => [one.id, slotsOf(one)])).toEqual([
    ['replaceServers-masterNode-1', [master(1), master(3)]],
  ]);
  expect(waits(plan, 'joinControlPlane-masterNode-3', 'includeInLoadBalancers-masterNode-1')).toBe(true);
});

it('replaces the living one after the other', () => {
  const plan = planHeal(facts({ controlPlane: [master(0), master(2)] }), survey(3, []));
  expect(waits(plan, 'excludeFromLoadBalancers-masterNode-2', 'includeInLoadBalancers-masterNode-0')).toBe(true);
});

it('never drains all workers at once', () => {
  const plan = planHeal(facts({ workers: [worker(0), worker(1), worker(2)] }));
  expect(plan.steps.filter(({ kind }) => kind === 'removeWorkers').map(slotsOf)).toEqual([
    [worker(0), worker(1)],
    [worker(2)],
  ]);
  expect(waits(plan, 'removeWorkers-2', 'joinWorker-workerNode-1')).toBe(true);
});

it('only replaces a server that is no node of the cluster', () => {
  expect(edges(planHeal(facts({ others: [slotName('probe', 0)] })))).toEqual({
    replaceServers: [],
    discover: ['replaceServers'],
    snapshotEtcd: ['discover'],
  });
});

it('takes the backup of a heal of both kinds when both are back', () => {
  const plan = planHeal(facts({ controlPlane: [master(0)], workers: [worker(0)] }), survey(3, [0]));
  expect(ids(plan).at(-1)).toBe('snapshotEtcd-masterNode-0');
  for (const earlier of ['includeInLoadBalancers-masterNode-0', 'joinWorker-workerNode-0'])
    expect(waits(plan, 'snapshotEtcd-masterNode-0', earlier)).toBe(true);
});

it('makes everything anew with `all: true`: as instantiate, after the stack was deleted and created', () => {
  const plan = planHeal(facts({ masters: 1, recreate: true }));
  expect(plan).toMatchObject({ operation: 'HEAL', rollbackSupported: false });
  expect(ids(plan).slice(0, 3)).toEqual(['recreateStack', 'discover', 'prepareNode-masterNode-0']);
  expect(waits(plan, 'verifyCluster-masterNode-0', 'recreateStack')).toBe(true);
});

describe('refuses, with the arithmetic', () => {
  it.each([
    ['two dead of three', 3, [0, 1], [0, 1], 'QUORUM_LOST', 'etcd has 3 voters, 1 of them alive; a majority needs 2'],
    ['a dead one that is not to be healed', 3, [0], [1], 'QUORUM_INCOMPLETE', 'master11 must vote'],
  ])('%s', (_, masters, dead, victims, code, detail) => {
    const plan = () => planHeal(facts({ masters, controlPlane: victims.map(master) }), survey(masters, dead));
    expect(plan).toThrow(expect.objectContaining({ code, message: expect.stringContaining(detail) }));
  });
});

describe('unreachable is not dead', () => {
  const victims = [0, 1, 2].map(master);

  it.each([
    ['all of three', 3, [], [0, 1, 2]],
    ['two of three', 3, [], [1, 2]],
    ['one, and another one is off', 3, [1], [2]],
    ['of five, two off and one unknown', 5, [0, 1], [2]],
  ])('%s unknown: no restore, whether it is allowed or not', (_, masters, dead, unknown) => {
    for (const allowRestore of [false, true]) {
      const plan = () =>
        planHeal(facts({ masters, controlPlane: victims, allowRestore }), survey(masters, dead, unknown));
      expect(plan).toThrow(
        expect.objectContaining({
          code: 'CONTROL_PLANE_UNKNOWN',
          message: expect.stringContaining('Nothing was touched'),
        }),
      );
    }
  });

  it('an unknown node is replaced as dead when the other nodes have a majority', () => {
    const plan = planHeal(facts({ controlPlane: [master(1)] }), survey(3, [], [1]));
    expect(ids(plan)).toContain('removeControlPlane-masterNode-1');
  });

  it('the only node, unknown: a backup of it comes first', () => {
    const of = facts({ masters: 1, controlPlane: [master(0)] });
    expect(ids(planHeal(of, survey(1, [], [0])))).toEqual(ids(planHeal(of, survey(1, []))));
    expect(ids(planHeal(of, survey(1, [], [0])))[0]).toBe('snapshotEtcd-0');
    expect(ids(planHeal(of, survey(1, [0])))).not.toContain('snapshotEtcd-0');
  });
});

it('any heal: touches its victims only, updates the stack once at a time, and has no step that the dry run does not show', () => {
  const some = (count: number) => fc.uniqueArray(fc.nat({ max: count - 1 }));
  const world = fc
    .constantFrom(3, 5)
    .chain((masters) =>
      fc.record({ masters: fc.constant(masters), victims: some(masters), dead: some(masters), workers: some(3) }),
    );
  fc.assert(
    fc.property(world, ({ masters, victims, dead, workers }) => {
      const down = dead.filter((index) => victims.includes(index)).slice(0, Math.floor(masters / 2));
      const of = facts({ masters, controlPlane: victims.map(master), workers: workers.map(worker) });
      const plan = planHeal(of, survey(masters, down));
      const allowed = new Set([...of.controlPlane, ...of.workers]);
      for (const touched of plan.steps.flatMap(slotsOf)) expect(allowed).toContain(touched);
      expect(ids(planHeal(of))).toEqual(expect.arrayContaining(ids(plan)));
      expect(new Set(ids(plan)).size).toBe(plan.steps.length);
      criticalPath(plan, () => 1); // throws at a cycle, or at a step that is not there
      const updates = ids(plan).filter((id) => id.startsWith('replaceServers'));
      for (const one of updates) {
        const others = updates.filter((other) => other !== one);
        expect(others.every((other) => waits(plan, one, other) || waits(plan, other, one))).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
