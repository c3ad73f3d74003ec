import type { Plan } from '../../../domain/operation/plan.ts';
import type { Operation } from '../../../domain/operations.ts';
import { slotNames } from '../../../domain/slot.ts';
import { planHeal as planHealOf } from '../../../domain/stack-plans/heal.ts';
import {
  planInstantiate as planInstantiateOf,
  planInstantiateRollback,
} from '../../../domain/stack-plans/instantiate.ts';
import { planModifyInfo } from '../../../domain/stack-plans/modify-info.ts';
import { planScale as planScaleOf, planScaleOutRollback as undoScaleOf } from '../../../domain/stack-plans/scale.ts';
import { planTerminate } from '../../../domain/stack-plans/terminate.ts';
import { plain } from '../../../domain/vnf-kinds/plain/index.ts';
import { insideRegistry } from '../../../domain/vnf-kinds/private-registry/inside-registry.ts';
import { planHeal, planInstantiate, planScale, planScaleOutRollback } from '../domain/cluster-plans.ts';
import { survey } from '../domain/survey.ts';

/** An operation with the plans that the planner makes for it. */
export interface PlannedOperation {
  /** Operation and kind of VNF: the name of a file in `test/histories/`. */
  readonly name: string;
  readonly operation: Operation;
  readonly forward: Plan;
  /** Undefined when the operation cannot be undone. */
  readonly rollback?: Plan;
}

const cluster = {
  controlPlane: { vduId: 'masterNode', count: 3 },
  workers: { vduId: 'workerNode', count: 2 },
  loadBalanced: true,
  vimNamed: true,
};
const scaledWorkers = { vduId: 'workerNode', count: 2, by: 2, slots: ['workerNode[2]', 'workerNode[3]'] };
const healedNodes = {
  shape: cluster,
  controlPlane: ['masterNode[1]'],
  workers: ['workerNode[0]'],
  others: [],
  allowRestore: false,
};
const server = { vduId: 'VDU', count: 1, by: 1, slots: ['VDU[1]'] };
const slots = slotNames('VDU', 2);
const insidePlain = plain.readVnf(undefined, new Map()).inside({
  vnfInstanceId: 'i',
  counts: {},
  separatedVdus: [],
  isVim: false,
  additionalParams: {},
  backups: [],
  survey: undefined,
});
const REGISTRY = 'PrivateRegistryVDU[0]';
const registry = insideRegistry(REGISTRY, () => ({ by: 'nothing' }));

/** Every operation, for each kind of VNF that makes another plan of it. */
export const PLANNED_OPERATIONS: readonly PlannedOperation[] = [
  {
    name: 'instantiate-cluster',
    operation: 'INSTANTIATE',
    forward: planInstantiate(cluster),
    rollback: planInstantiateRollback(),
  },
  {
    name: 'instantiate-plain',
    operation: 'INSTANTIATE',
    forward: planInstantiateOf(insidePlain),
    rollback: planInstantiateRollback(),
  },
  {
    name: 'instantiate-registry',
    operation: 'INSTANTIATE',
    forward: planInstantiateOf(registry),
    rollback: planInstantiateRollback(),
  },
  {
    name: 'scale-out-cluster',
    operation: 'SCALE',
    forward: planScale({ type: 'SCALE_OUT', ...scaledWorkers }, cluster),
    rollback: planScaleOutRollback({ type: 'SCALE_OUT', ...scaledWorkers }, cluster),
  },
  {
    name: 'scale-in-cluster',
    operation: 'SCALE',
    forward: planScale({ type: 'SCALE_IN', ...scaledWorkers, slots: ['workerNode[0]', 'workerNode[1]'] }, cluster),
  },
  {
    name: 'scale-out-plain',
    operation: 'SCALE',
    forward: planScaleOf({ type: 'SCALE_OUT', ...server }, insidePlain),
    rollback: undoScaleOf({ type: 'SCALE_OUT', ...server }, insidePlain),
  },
  { name: 'scale-in-plain', operation: 'SCALE', forward: planScaleOf({ type: 'SCALE_IN', ...server }, insidePlain) },
  { name: 'heal-cluster', operation: 'HEAL', forward: planHeal(healedNodes, survey(3, [1])) },
  { name: 'heal-all-cluster', operation: 'HEAL', forward: planHeal({ ...healedNodes, recreate: true }) },
  { name: 'heal-plain', operation: 'HEAL', forward: planHealOf({ slots, recreate: false }, insidePlain) },
  { name: 'heal-registry', operation: 'HEAL', forward: planHealOf({ slots: [REGISTRY], recreate: false }, registry) },
  {
    name: 'terminate',
    operation: 'TERMINATE',
    forward: planTerminate({ terminationType: 'GRACEFUL', gracefulTerminationTimeout: 1 }),
  },
  {
    name: 'terminate-later',
    operation: 'TERMINATE',
    forward: planTerminate({ terminationType: 'GRACEFUL', gracefulTerminationTimeout: 3600 }),
  },
  {
    name: 'modify-info',
    operation: 'MODIFY_INFO',
    forward: planModifyInfo('forward'),
    rollback: planModifyInfo('rollback'),
  },
];
