import { expect, it } from 'vitest';
import { planHeal, planInstantiate, planScale } from '../../../test/testing/domain/cluster-plans.ts';
import { survey } from '../../../test/testing/domain/survey.ts';
import type { Plan } from '../../operation/plan.ts';
import { planModifyInfo } from '../../stack-plans/modify-info.ts';
import { insideCluster } from './inside-cluster.ts';
import type { ClusterShape } from './shape.ts';

const shape = (masters: number, usesRegistries = true): ClusterShape => ({
  controlPlane: { vduId: 'masterNode', count: masters },
  workers: { vduId: 'workerNode', count: 2 },
  loadBalanced: masters > 1,
  usesRegistries,
});
const afterOf = ({ steps }: Plan, id: string) => steps.find((one) => one.id === id)?.after;
const connected = ({ steps }: Plan) =>
  Object.fromEntries(steps.flatMap(({ id, kind, after }) => (kind === 'connectRegistries' ? [[id, after]] : [])));
const heal = (masters: number, of: { controlPlane?: readonly string[]; workers?: readonly string[] }, dead: number[]) =>
  planHeal(
    { shape: shape(masters), controlPlane: [], workers: [], others: [], allowRestore: true, ...of },
    survey(masters, dead),
  );

it('every node of a new cluster is connected when it has joined, and the cluster is verified after that', () => {
  const plan = planInstantiate(shape(3));
  expect(connected(plan)).toEqual({
    'connectRegistries-masterNode-0': ['initControlPlane-masterNode-0'],
    'connectRegistries-masterNode-1': ['joinControlPlane-masterNode-1'],
    'connectRegistries-masterNode-2': ['joinControlPlane-masterNode-2'],
    'connectRegistries-workerNode-0': ['joinWorker-workerNode-0'],
    'connectRegistries-workerNode-1': ['joinWorker-workerNode-1'],
  });
  expect(afterOf(plan, 'verifyCluster-masterNode-0')).toEqual(expect.arrayContaining(Object.keys(connected(plan))));
  expect(connected(planInstantiate(shape(3, false)))).toEqual({});
});

it('a scale connects the new node only', () => {
  const slots = ['workerNode[2]'];
  const plan = planScale({ type: 'SCALE_OUT', vduId: 'workerNode', count: 2, by: 1, slots }, shape(1));
  expect(connected(plan)).toEqual({ 'connectRegistries-workerNode-2': ['joinWorker-workerNode-2'] });
  expect(afterOf(plan, 'snapshotEtcd')).toEqual(['connectRegistries-workerNode-2']);
});

it('a heal connects the nodes that are made anew', () => {
  const plan = heal(3, { controlPlane: ['masterNode[1]'], workers: ['workerNode[0]'] }, [1]);
  expect(connected(plan)).toEqual({
    'connectRegistries-masterNode-1': ['joinControlPlane-masterNode-1'],
    'connectRegistries-workerNode-0': ['joinWorker-workerNode-0'],
  });
});

it('a restore connects its seed, too: kubeadm reset has emptied the directory of its kubelet', () => {
  const plan = heal(3, { controlPlane: ['masterNode[1]', 'masterNode[2]'] }, [1, 2]);
  expect(connected(plan)).toMatchObject({ 'connectRegistries-masterNode-0': ['recallNodes-masterNode-0'] });
  expect(Object.keys(connected(plan))).toHaveLength(3);
});

it('a change connects every node at once, and its rollback gives all of them back what they had', () => {
  const slots = ['masterNode[0]', 'workerNode[0]', 'workerNode[3]', 'other[0]'];
  const change = { inside: insideCluster({ shape: shape(1, false) }), slots };
  const ids = (direction: Plan['direction']) =>
    planModifyInfo(direction, change).steps.map(({ id, after }) => [id, ...after]);
  const nodes = ['masterNode-0', 'workerNode-0', 'workerNode-3'];
  expect(ids('forward')).toEqual(nodes.map((node) => [`connectRegistries-${node}`]));
  expect(ids('rollback')).toEqual(nodes.map((node) => [`restoreRegistries-${node}`]));
});
