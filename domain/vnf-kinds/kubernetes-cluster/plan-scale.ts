import { createPlan, type Plan, type PlanStep, step } from '../../operation/plan.ts';
import { slotName } from '../../slot.ts';

/** Which workers come or go, and who is asked about the cluster. */
export interface ScaleFacts {
  readonly type: 'SCALE_OUT' | 'SCALE_IN';
  readonly vduId: string;
  /** Workers now. */
  readonly count: number;
  /** How many come or go. */
  readonly by: number;
}

/**
 * Scale out touches the new slots only: no login on a worker that is there. Scale in removes the newest workers, first from the
 * cluster (drained), then from the stack; never the other way round. Both end with a backup, from whichever control-plane node
 * gives one: a restore then knows the workers that there are.
 */
export function planScale(facts: ScaleFacts): Plan {
  return facts.type === 'SCALE_OUT' ? planScaleOut(facts) : planScaleIn(facts);
}

/** The slots that come or go: the highest indices, as StandardUserData counts. */
function scaledSlots({ type, vduId, count, by }: ScaleFacts): string[] {
  const first = type === 'SCALE_OUT' ? count : count - by;
  return Array.from({ length: by }, (_, index) => slotName(vduId, first + index));
}

function planScaleOut(facts: ScaleFacts): Plan {
  const slots = scaledSlots(facts);
  const growStack = step('growStack', [], { slots });
  const discover = step('discover', [growStack]);
  const workers = slots.map((slot) => {
    const prepare = step('prepareNode', [discover], { slot });
    return { prepare, join: step('joinWorker', [prepare], { slot }) };
  });
  const joins = workers.map(({ join }) => join);
  const backup = step('snapshotEtcd', joins);
  return createPlan({
    operation: 'SCALE',
    direction: 'forward',
    rollbackSupported: true,
    steps: [growStack, discover, ...workers.map(({ prepare }) => prepare), ...joins, backup],
  });
}

function planScaleIn(facts: ScaleFacts): Plan {
  const steps = removal(facts);
  return createPlan({
    operation: 'SCALE',
    direction: 'forward',
    rollbackSupported: false,
    steps: [...steps, step('snapshotEtcd', steps.slice(-1))],
  });
}

/** What leaves the cluster, then the stack. */
function removal(facts: ScaleFacts): PlanStep[] {
  const slots = scaledSlots(facts);
  const removeWorkers = step('removeWorkers', [], { slots });
  const shrinkStack = step('shrinkStack', [removeWorkers], { slots });
  return [removeWorkers, shrinkStack, step('discover', [shrinkStack])];
}

/** The inverse of a scale out: what joined leaves the cluster, what was added leaves the stack. The newest backup is of that cluster. */
export function planScaleOutRollback(facts: ScaleFacts): Plan {
  return createPlan({ operation: 'SCALE', direction: 'rollback', rollbackSupported: true, steps: removal(facts) });
}
