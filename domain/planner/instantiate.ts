import { type Plan, type PlanStep, step } from '../plan.ts';
import { slotNames } from '../slot.ts';

/** How many nodes of which VDU: what the planner needs to know of flavour, level and request. */
export interface ClusterShape {
  readonly controlPlane: { readonly vduId: string; readonly count: number };
  readonly workers: { readonly vduId: string; readonly count: number };
}

/**
 * One control-plane node and any number of workers. Everything runs as early as physics allows: all nodes are prepared at
 * once, workers join while Cilium is installed, so the critical path does not grow with the number of workers.
 */
export function planInstantiate({ controlPlane, workers }: ClusterShape): Plan {
  const applyStack = step('applyStack', []);
  const discover = step('discover', [applyStack]);
  const prepare = (slot: string) => step('prepareNode', [discover], { slot });
  const [first = ''] = slotNames(controlPlane.vduId, controlPlane.count);
  const prepareFirst = prepare(first);
  const init = step('initControlPlane', [prepareFirst], { slot: first });
  const installCni = step('installCni', [init], { slot: first });
  const workerSteps = slotNames(workers.vduId, workers.count).map((slot) => {
    const prepareWorker = prepare(slot);
    return { prepareWorker, join: step('joinWorker', [prepareWorker, init], { slot }) };
  });
  const joins: PlanStep[] = workerSteps.map(({ join }) => join);
  const verify = step('verifyCluster', [installCni, ...joins], { slot: first });
  return {
    operation: 'INSTANTIATE',
    direction: 'forward',
    steps: [
      applyStack,
      discover,
      prepareFirst,
      ...workerSteps.map(({ prepareWorker }) => prepareWorker),
      init,
      installCni,
      ...joins,
      verify,
    ],
  };
}

/** The inverse: deleting the stack undoes all that instantiate did in the cloud. */
export function planInstantiateRollback(): Plan {
  const deleteStack = step('deleteStack', []);
  return {
    operation: 'INSTANTIATE',
    direction: 'rollback',
    steps: [deleteStack, step('forgetCluster', [deleteStack])],
  };
}
