import { createPlan, type Plan, type PlanStep, step } from '../../operation/plan.ts';
import { slotNames } from '../../slot.ts';

/** How many nodes of which VDU: what the planner needs to know of flavour, level and request. */
export interface ClusterShape {
  readonly controlPlane: { readonly vduId: string; readonly count: number };
  readonly workers: { readonly vduId: string; readonly count: number };
  /** Is the API reached through a virtual address and HAProxy on the control-plane nodes? */
  readonly loadBalanced: boolean;
  /** Does the request name a VIM (`vim_name`) that the cluster becomes? */
  readonly vimNamed?: boolean;
}

/**
 * Everything runs as early as physics allows: all nodes are prepared at once, workers join while Cilium is installed. Only
 * etcd's membership changes one by one, so control-plane nodes join one after another. The critical path does not grow with
 * the number of workers.
 */
export function planInstantiate(shape: ClusterShape): Plan {
  const applyStack = step('applyStack', []);
  const discover = step('discover', [applyStack]);
  const masters = slotNames(shape.controlPlane.vduId, shape.controlPlane.count).map((slot) =>
    preparedMaster(slot, discover, shape),
  );
  const workers = slotNames(shape.workers.vduId, shape.workers.count).map((slot) => ({
    slot,
    prepare: step('prepareNode', [discover], { slot }),
  }));
  const [first, ...others] = masters;
  if (!first) throw new RangeError('a cluster needs a control-plane node');
  const init = step('initControlPlane', [first.ready], { slot: first.slot });
  const installCni = step('installCni', [init], { slot: first.slot });
  const controlPlaneJoins: PlanStep[] = [];
  for (const { slot, ready } of others) {
    controlPlaneJoins.push(step('joinControlPlane', [ready, controlPlaneJoins.at(-1) ?? init], { slot }));
  }
  const joins = workers.map(({ slot, prepare }) => step('joinWorker', [prepare, init], { slot }));
  const verify = step('verifyCluster', [installCni, ...controlPlaneJoins.slice(-1), ...joins], { slot: first.slot });
  const registerVim = shape.vimNamed ? [step('registerVim', [verify], { slot: first.slot })] : [];
  // last, so that the VIM's account is in it too
  const snapshot = step('snapshotEtcd', [registerVim[0] ?? verify], { slot: first.slot });
  return createPlan({
    operation: 'INSTANTIATE',
    direction: 'forward',
    rollbackSupported: true,
    steps: [
      applyStack,
      discover,
      ...masters.flatMap(({ steps }) => steps),
      ...workers.map(({ prepare }) => prepare),
      init,
      installCni,
      ...controlPlaneJoins,
      ...joins,
      verify,
      ...registerVim,
      snapshot,
      step('scheduleSnapshots', [snapshot]),
    ],
  });
}

/** A control-plane node is ready when it is prepared, and its load balancer runs if there is one. */
function preparedMaster(slot: string, discover: PlanStep, { loadBalanced }: ClusterShape) {
  const prepare = step('prepareNode', [discover], { slot });
  if (!loadBalanced) return { slot, steps: [prepare], ready: prepare };
  const loadBalancer = step('loadBalancer', [prepare], { slot });
  return { slot, steps: [prepare, loadBalancer], ready: loadBalancer };
}

/** The inverse: deleting the stack undoes all that instantiate did in the cloud. */
export function planInstantiateRollback(): Plan {
  const deleteStack = step('deleteStack', []);
  return createPlan({
    operation: 'INSTANTIATE',
    direction: 'rollback',
    rollbackSupported: true,
    steps: [deleteStack, step('forgetCluster', [deleteStack])],
  });
}
