import { expect, it } from 'vitest';
import { planHeal } from '../../../test/testing/domain/cluster-plans.ts';
import { survey } from '../../../test/testing/domain/survey.ts';
import { criticalPath, type Plan } from '../../operation/plan.ts';
import { slotName } from '../../slot.ts';
import { type StepKind, slotsOf, stepSummary } from '../../steps/index.ts';
import { checkBackup } from './chosen-backup.ts';
import type { HealFacts } from './heal-facts.ts';

const master = (index: number) => slotName('masterNode', index);
const worker = (index: number) => slotName('workerNode', index);

const facts = (masters: number, of: Partial<HealFacts>): HealFacts => ({
  shape: {
    controlPlane: { vduId: 'masterNode', count: masters },
    workers: { vduId: 'workerNode', count: 2 },
    loadBalanced: masters > 1,
  },
  controlPlane: [],
  workers: [],
  others: [],
  allowRestore: masters > 1,
  ...of,
});

const edges = ({ steps }: Plan) => Object.fromEntries(steps.map(({ id, after }) => [id, after]));
const find = ({ steps }: Plan, id: string) => steps.find((one) => one.id === id);

it('heals the only control-plane node from a backup: its server off, then anew, the cluster restored, the workers recalled', () => {
  const plan = planHeal(facts(1, { controlPlane: [master(0)] }), survey(1, [0]));
  expect(edges(plan)).toEqual({
    stopServers: [],
    replaceServers: ['stopServers'],
    discover: ['replaceServers'],
    'prepareNode-masterNode-0': ['discover'],
    'restoreControlPlane-masterNode-0': ['prepareNode-masterNode-0'],
    'recallNodes-masterNode-0': ['restoreControlPlane-masterNode-0'],
    'snapshotEtcd-masterNode-0': ['recallNodes-masterNode-0'],
  });
  expect(find(plan, 'recallNodes-masterNode-0')).toMatchObject({ staying: [worker(0), worker(1)] });
});

it('takes a backup first while etcd still answers', () => {
  const plan = planHeal(facts(1, { controlPlane: [master(0)] }), survey(1, []));
  expect(find(plan, 'snapshotEtcd-0')).toMatchObject({ source: master(0), after: [] });
  expect(find(plan, 'stopServers')).toMatchObject({ servers: [master(0)], after: ['snapshotEtcd-0'] });
  expect(find(plan, 'replaceServers')?.after).toEqual(['stopServers']);
});

it('replaced workers join after the restore, and are not recalled', () => {
  const plan = planHeal(facts(1, { controlPlane: [master(0)], workers: [worker(1)] }), survey(1, [0]));
  expect(find(plan, 'replaceServers')).toMatchObject({ servers: [master(0), worker(1)] });
  expect(find(plan, 'recallNodes-masterNode-0')).toMatchObject({ staying: [worker(0)] });
  expect(find(plan, 'joinWorker-workerNode-1')?.after).toEqual([
    'prepareNode-workerNode-1',
    'recallNodes-masterNode-0',
  ]);
});

it('two dead of three: the survivor gives the backup, keeps its server, and the others join it one by one', () => {
  const plan = planHeal(facts(3, { controlPlane: [master(0), master(2)] }), survey(3, [0, 2]));
  expect(edges(plan)).toEqual({
    stopServers: [],
    'snapshotEtcd-0': ['stopServers'],
    replaceServers: ['snapshotEtcd-0'],
    discover: ['replaceServers'],
    'prepareNode-masterNode-0': ['discover'],
    'prepareNode-masterNode-2': ['discover'],
    'loadBalancer-masterNode-1': ['discover'],
    'loadBalancer-masterNode-0': ['prepareNode-masterNode-0'],
    'loadBalancer-masterNode-2': ['prepareNode-masterNode-2'],
    'restoreControlPlane-masterNode-1': ['loadBalancer-masterNode-1'],
    'recallNodes-masterNode-1': ['restoreControlPlane-masterNode-1'],
    'joinControlPlane-masterNode-0': ['loadBalancer-masterNode-0', 'recallNodes-masterNode-1'],
    'joinControlPlane-masterNode-2': ['loadBalancer-masterNode-2', 'joinControlPlane-masterNode-0'],
    'snapshotEtcd-masterNode-1': ['recallNodes-masterNode-1', 'joinControlPlane-masterNode-2'],
  });
  expect(find(plan, 'replaceServers')).toMatchObject({ servers: [master(0), master(2)] });
  expect(find(plan, 'stopServers'), 'who did not answer may live all the same').toMatchObject({
    servers: [master(0), master(2)],
  });
});

it('a backup that the request names is the source of the restore: no node that answers gives newer data', () => {
  const chosen = planHeal(facts(1, { controlPlane: [master(0)], backupId: 'b7' }), survey(1, []));
  expect(find(chosen, 'snapshotEtcd-0')).toBeUndefined();
  expect(find(chosen, 'stopServers')).toMatchObject({ servers: [master(0)], after: [] });
  expect(find(chosen, 'restoreControlPlane-masterNode-0')).toMatchObject({ backupId: 'b7' });
  const summary = 'restore the cluster on masterNode[0] from backup b7';
  expect(chosen.steps.map((one) => stepSummary(one))).toContain(summary);
  const several = planHeal(facts(3, { controlPlane: [master(0), master(2)], backupId: 'b7' }), survey(3, [0, 2]));
  expect(find(several, 'restoreControlPlane-masterNode-1')).toMatchObject({ backupId: 'b7' });
  expect(find(several, 'replaceServers'), 'the one that lives keeps its server').toMatchObject({
    servers: [master(0), master(2)],
  });
});

it('an unknown backup id is refused with the ids that exist, and an id that would not be used is refused, too', () => {
  const restoring = planHeal(facts(1, { controlPlane: [master(0)] }), survey(1, [0]));
  const check = (plan: Plan, backupId?: string) => () =>
    checkBackup(plan, { vnfInstanceId: 'i', backups: [{ id: 'b1' }, { id: 'b2' }], backupId });
  expect(check(restoring, 'b2')).not.toThrow();
  expect(check(restoring, 'b3')).toThrow(
    expect.objectContaining({ code: 'BACKUP_UNKNOWN', message: expect.stringContaining('there are b1, b2') }),
  );
  const heal = planHeal(facts(3, { controlPlane: [master(0)] }), survey(3, [0]));
  expect(check(heal, 'b2')).toThrow(expect.objectContaining({ code: 'BACKUP_NOT_NEEDED' }));
  expect(check(heal)).not.toThrow();
});

it('a restore is preceded by a stop of every server that it replaces, alive or not', () => {
  for (const [masters, dead, victims] of [
    [1, [], [0]],
    [3, [0, 1, 2], [0, 1, 2]],
    [5, [0, 1, 2], [0, 1, 2]],
  ] as const) {
    const plan = planHeal(facts(masters, { controlPlane: victims.map(master) }), survey(masters, [...dead]));
    const namedBy = (wanted: StepKind) => plan.steps.filter(({ kind }) => kind === wanted).flatMap(slotsOf);
    expect(namedBy('stopServers').toSorted()).toEqual(namedBy('replaceServers').toSorted());
  }
});

it('three dead of five: of two that still answer one is the source, the other is replaced too: it has a history of its own', () => {
  const plan = planHeal(facts(5, { controlPlane: [0, 1, 2].map(master) }), survey(5, [0, 1, 2]));
  expect(find(plan, 'restoreControlPlane-masterNode-3')).toBeDefined();
  expect(find(plan, 'replaceServers')).toMatchObject({ servers: [0, 1, 2, 4].map(master) });
});

it('all dead: from the newest backup, on the first', () => {
  const plan = planHeal(facts(3, { controlPlane: [0, 1, 2].map(master) }), survey(3, [0, 1, 2]));
  expect(find(plan, 'snapshotEtcd-0')).toBeUndefined();
  expect(find(plan, 'restoreControlPlane-masterNode-0')?.after).toEqual(['loadBalancer-masterNode-0']);
});

it('refuses before anything is touched: without leave to restore, and when a dead node was not named', () => {
  const dead = survey(3, [0, 1]);
  expect(() => planHeal(facts(3, { controlPlane: [master(0), master(1)], allowRestore: false }), dead)).toThrow(
    'Nothing was touched: etcd has 3 voters, 1 of them alive',
  );
  expect(() => planHeal(facts(3, { controlPlane: [master(0)] }), dead)).toThrow(/name also masterNode\[1\]/);
});

it('a majority that lives is not restored, allowed or not', () => {
  const of = { controlPlane: [master(0)] };
  expect(planHeal(facts(3, of), survey(3, [0]))).toEqual(
    planHeal(facts(3, { ...of, allowRestore: false }), survey(3, [0])),
  );
});

it('a dry run that may restore shows the steps of both ways, as one graph', () => {
  const of = facts(3, { controlPlane: [master(0), master(1)], workers: [worker(0)] });
  const told = new Set(planHeal(of).steps.map(({ id }) => id));
  for (const dead of [[], [0], [0, 1], [1]]) {
    for (const { id } of planHeal(of, survey(3, dead)).steps) expect([...told]).toContain(id);
  }
  for (const dead of [[], [0]]) {
    const only = facts(1, { controlPlane: [master(0)] });
    const all = planHeal(only).steps.map(({ id }) => id);
    for (const { id } of planHeal(only, survey(1, dead)).steps) expect(all).toContain(id);
  }
  criticalPath(planHeal(of), () => 1); // throws at a cycle, or at a step that is not there
});
