import { expect, it } from 'vitest';
import {
  planHeal,
  planInstantiate,
  planScale,
  planScaleOutRollback,
} from '../../../test/testing/domain/cluster-plans.ts';
import { survey } from '../../../test/testing/domain/survey.ts';
import type { Plan } from '../../operation/plan.ts';
import type { HealFacts } from './heal-facts.ts';

const shape = {
  controlPlane: { vduId: 'masterNode', count: 3 },
  workers: { vduId: 'workerNode', count: 2 },
  loadBalanced: true,
  vimNamed: true,
};
const apart = { ...shape, workersApart: true };
const scale = { vduId: 'workerNode', count: 2, by: 1, slots: ['workerNode[2]'] };
const heal: HealFacts = { shape: apart, controlPlane: [], workers: [], others: [], allowRestore: false };

/** The steps right before the label step, and those right after it. */
function place({ steps }: Plan): [before: readonly string[], after: string[]] {
  const found = steps.filter(({ kind }) => kind === 'labelWorkers');
  expect(found).toHaveLength(1);
  const next = steps.filter(({ after }) => after.includes('labelWorkers')).map(({ id }) => id);
  return [found[0]?.after ?? [], next];
}

it('labels the workers of a new cluster when all are Ready, while the VIM is registered, and before the backup', () => {
  const plan = planInstantiate(apart);
  expect(place(plan)).toEqual([['verifyCluster-masterNode-0'], ['snapshotEtcd-masterNode-0']]);
  const { after } = plan.steps.find(({ kind }) => kind === 'snapshotEtcd') ?? {};
  expect(after).toEqual(['registerVim-masterNode-0', 'labelWorkers']);
});

it('labels them in every later operation, before its backup', () => {
  expect(place(planScale({ ...scale, type: 'SCALE_OUT' }, apart))).toEqual([
    ['joinWorker-workerNode-2'],
    ['snapshotEtcd'],
  ]);
  expect(place(planScale({ ...scale, type: 'SCALE_IN' }, apart))).toEqual([['forgetNodes'], ['snapshotEtcd']]);
  expect(place(planHeal({ ...heal, workers: ['workerNode[1]'] }))).toEqual([
    ['joinWorker-workerNode-1'],
    ['snapshotEtcd'],
  ]);
  expect(place(planHeal({ ...heal, controlPlane: ['masterNode[1]'] }, survey(3, [1])))[1]).toEqual([
    'snapshotEtcd-masterNode-1',
  ]);
  const lost = { ...heal, controlPlane: ['masterNode[0]', 'masterNode[1]'], allowRestore: true };
  expect(place(planHeal(lost, survey(3, [0, 1])))).toEqual([
    ['recallNodes-masterNode-2', 'joinControlPlane-masterNode-1'],
    ['snapshotEtcd-masterNode-2'],
  ]);
  expect(place(planHeal({ ...heal, recreate: true }))[1]).toEqual(['snapshotEtcd-masterNode-0']);
});

it('has it once in a dry run that names the steps of both ways of a heal', () => {
  const [, next] = place(planHeal({ ...heal, controlPlane: ['masterNode[0]', 'masterNode[1]'], allowRestore: true }));
  expect(next).toEqual(expect.arrayContaining([expect.stringContaining('snapshotEtcd-masterNode')]));
});

it('has no such step when the package does not keep the workers apart, nor in the rollback of a scale out', () => {
  const plans = [
    planInstantiate(shape),
    planScale({ ...scale, type: 'SCALE_OUT' }, shape),
    planHeal({ ...heal, shape, workers: ['workerNode[1]'] }),
    planScaleOutRollback({ ...scale, type: 'SCALE_OUT' }, apart),
  ];
  expect(plans.flatMap(({ steps }) => steps.map(({ kind }) => kind))).not.toContain('labelWorkers');
});
