import { ApplicationFailure } from '@temporalio/common';
import { type PlanStep, readySteps } from '../../../domain/operation/plan.ts';
import { LCM_OPERATIONS } from '../../../domain/operations.ts';
import { whyStepMustRun } from '../../../domain/steps/index.ts';
import type { StartedOperation } from '../../../engine/start-operation.ts';
import { TASK_QUEUE, workflowId } from '../../../workflows/contract.ts';
import { searchAttribute } from '../../../workflows/search-attributes.ts';
import { type OperationWorld, ofOperation } from '../operation-world.ts';
import type { PlannedOperation } from './planned-operations.ts';

/** One operation on its way into a situation. */
export interface Scene {
  readonly world: OperationWorld;
  readonly planned: PlannedOperation;
  readonly one: StartedOperation;
}

/** A situation in which an upgrade of vnflow may find an operation. */
export interface Situation {
  readonly name: string;
  /** Whether the situation can come about with this plan. Undefined: with any. */
  readonly fits?: (planned: PlannedOperation) => boolean;
  /** Brings the operation into the situation. Its history is read then. */
  readonly play: (scene: Scene) => Promise<unknown>;
}

const FAILS = { type: 'NODE_COMMAND_FAILED', message: 'the script failed' };
const STOPS = { type: 'STACK_DELETE_FAILED', message: 'the rollback stopped' };
const broken = (code: string) => ApplicationFailure.nonRetryable('the store refuses', code);

const activitiesOf = ({ steps }: { readonly steps: readonly PlanStep[] }) =>
  steps.filter(({ kind }) => kind !== 'gracePeriod');
const idOf = (step: PlanStep | undefined) => {
  if (!step) throw new Error('the plan has no such step: the situation does not fit');
  return step.id;
};
const firstOf = ({ forward }: PlannedOperation) => idOf(activitiesOf(forward)[0]);
const lastOf = ({ forward }: PlannedOperation) => idOf(activitiesOf(forward).at(-1));
const middleOf = ({ forward }: PlannedOperation) => {
  const steps = activitiesOf(forward);
  return idOf(steps[Math.floor(steps.length / 2)]);
};
const undoOf = ({ rollback }: PlannedOperation) => idOf(rollback?.steps.at(-1));

/** The steps that run at once when as many as possible do. */
function widestOf({ forward }: PlannedOperation): readonly string[] {
  const done = new Set<string>();
  let widest: readonly string[] = [];
  for (;;) {
    const ready = readySteps(forward, (id) => (done.has(id) ? 'done' : 'waiting')).map(({ id }) => id);
    if (ready.length === 0) return widest;
    if (ready.length > widest.length) widest = ready;
    for (const id of ready) done.add(id);
  }
}

const isSoon = ({ forward }: PlannedOperation) =>
  forward.steps.every((step) => step.kind !== 'gracePeriod' || step.seconds < 60);
const hasSteps = (planned: PlannedOperation) => isSoon(planned) && activitiesOf(planned.forward).length > 0;
const hasSeveral = (planned: PlannedOperation) => isSoon(planned) && activitiesOf(planned.forward).length > 1;
const isUndone = (planned: PlannedOperation) => hasSteps(planned) && planned.rollback !== undefined;
const isWide = (planned: PlannedOperation) => hasSteps(planned) && widestOf(planned).length > 1;
const skippable = ({ forward }: PlannedOperation) =>
  activitiesOf(forward).filter((step) => whyStepMustRun(step) === false);
const waits = (planned: PlannedOperation) => !isSoon(planned);
const isEmpty = ({ forward }: PlannedOperation) => forward.steps.length === 0;
const isFirst = ({ name }: PlannedOperation) => name === 'instantiate-cluster';

const hold = ({ world, one }: Scene, key: string) => world.hold(ofOperation(one, key));
const fail = ({ world, one }: Scene, key: string, how = FAILS) => world.failOnce.set(ofOperation(one, key), how);
const refuse = ({ world, one }: Scene, key: string, code: string) =>
  world.broken.set(ofOperation(one, key), broken(code));

async function begin({ world, one }: Scene): Promise<void> {
  await world.start(one);
}

async function untilHeld(scene: Scene, stepId: string): Promise<() => void> {
  const release = hold(scene, stepId);
  await begin(scene);
  await scene.world.untilBegun(scene.one, stepId);
  return release;
}

async function untilFailed(scene: Scene): Promise<void> {
  fail(scene, middleOf(scene.planned));
  await begin(scene);
  await scene.world.untilRecorded(scene.one, 'FAILED_TEMP');
}

async function untilRollbackFailed(scene: Scene): Promise<void> {
  const { world, one, planned } = scene;
  await untilFailed(scene);
  fail(scene, undoOf(planned), STOPS);
  await world.control(one, { kind: 'rollback' });
  await world.untilRecorded(one, STOPS.message);
}

async function untilPaused(scene: Scene): Promise<void> {
  const { world, one, planned } = scene;
  const release = await untilHeld(scene, firstOf(planned));
  await world.control(one, { kind: 'pauseBefore', stepId: lastOf(planned) });
  release();
  await world.untilPending(one, undefined);
}

async function untilEndRefused(scene: Scene): Promise<void> {
  refuse(scene, 'recordEnd', 'INTERNAL');
  await begin(scene);
  await scene.world.untilRecorded(scene.one, 'FAILED_TEMP');
}

const untilTimer = async (scene: Scene) => {
  await begin(scene);
  await scene.world.untilRecorded(scene.one, 'timer RUNNING');
  await scene.world.untilPending(scene.one, undefined);
};

/** A new workflow that goes on where another one was lost: half of the plan is done, one step has failed. */
async function takeOver(scene: Scene, unplanned = false): Promise<void> {
  const { world, one, planned } = scene;
  const { forward } = planned;
  const lost = { code: 'ENGINE_LOST', detail: 'The workflow was lost.' };
  const half = forward.steps.slice(0, Math.floor(forward.steps.length / 2)).map(({ id }) => id);
  const failed = forward.steps[half.length]?.id ?? '';
  world.adopted.set(one.vnfLcmOpOccId, {
    seq: 7,
    round: 1,
    rollbackSupported: forward.rollbackSupported,
    ...(unplanned ? {} : { forward }),
    conditions: unplanned ? {} : { ...Object.fromEntries(half.map((id) => [id, 'done'])), [failed]: 'failed' },
    failures: unplanned ? {} : { [failed]: { ...lost, stepId: failed } },
    lost,
    remedy: 'retry',
    labels: { 'workerNode[0]': 'worker57 (10.10.0.57)' },
  });
  await world.start({ ...one, takesOver: true });
  await world.untilPending(one, undefined);
}

/** Every situation, by name. The order has no meaning. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: 'not accepted',
    fits: isFirst,
    play: async ({ world, one }) => {
      const { workflowType } = LCM_OPERATIONS[one.operation];
      await world.client.workflow.start(workflowType, {
        workflowId: workflowId(one.vnfInstanceId),
        taskQueue: TASK_QUEUE,
        args: [one],
        typedSearchAttributes: [{ key: searchAttribute.vnfInstanceId, value: one.vnfInstanceId }],
      });
      await world.ended(one);
    },
  },
  {
    name: 'acceptance is being recorded',
    fits: isFirst,
    play: async (scene) => {
      hold(scene, 'recordAccepted');
      await begin(scene);
      await scene.world.untilPending(scene.one, 'recordAccepted');
    },
  },
  {
    name: 'request withdrawn',
    fits: isFirst,
    play: async (scene) => {
      scene.world.withdrawn.add(scene.one.vnfLcmOpOccId);
      await begin(scene);
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'grant is awaited',
    fits: isFirst,
    play: async (scene) => {
      hold(scene, 'requestGrant');
      await begin(scene);
      await scene.world.untilPending(scene.one, 'requestGrant');
    },
  },
  {
    name: 'control plane is surveyed',
    fits: ({ operation }) => operation === 'HEAL',
    play: async (scene) => {
      hold(scene, 'surveyControlPlane');
      await begin(scene);
      await scene.world.untilPending(scene.one, 'surveyControlPlane');
    },
  },
  {
    name: 'grant refused',
    fits: isFirst,
    play: async (scene) => {
      refuse(scene, 'requestGrant', 'VIM_REJECTED');
      await begin(scene);
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'cancelled before the grant',
    fits: isFirst,
    play: async (scene) => {
      hold(scene, 'requestGrant');
      await begin(scene);
      await scene.world.untilPending(scene.one, 'requestGrant');
      await scene.world.control(scene.one, { kind: 'cancel', cancelMode: 'FORCEFUL' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'running',
    fits: hasSteps,
    play: (scene) => untilHeld(scene, lastOf(scene.planned)),
  },
  {
    name: 'running many steps',
    fits: isWide,
    play: async (scene) => {
      const steps = widestOf(scene.planned);
      for (const id of steps) hold(scene, id);
      await begin(scene);
      for (const id of steps) await scene.world.untilBegun(scene.one, id);
    },
  },
  {
    name: 'completed',
    fits: isSoon,
    play: async (scene) => {
      await begin(scene);
      await scene.world.ended(scene.one);
    },
  },
  { name: 'FAILED_TEMP', fits: hasSteps, play: untilFailed },
  {
    name: 'FAILED_TEMP, one of many steps failed',
    fits: isWide,
    play: async (scene) => {
      const [failing = '', ...others] = widestOf(scene.planned);
      fail(scene, failing);
      for (const id of others) fail(scene, id);
      await begin(scene);
      await scene.world.untilRecorded(scene.one, 'FAILED_TEMP');
    },
  },
  {
    name: 'retried, running',
    fits: hasSteps,
    play: async (scene) => {
      await untilFailed(scene);
      hold(scene, middleOf(scene.planned));
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.untilBegun(scene.one, middleOf(scene.planned), 2);
    },
  },
  {
    name: 'retried, completed',
    fits: hasSteps,
    play: async (scene) => {
      await untilFailed(scene);
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'given up',
    fits: hasSteps,
    play: async (scene) => {
      await untilFailed(scene);
      await scene.world.control(scene.one, { kind: 'fail' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'rolling back',
    fits: isUndone,
    play: async (scene) => {
      await untilFailed(scene);
      const undo = undoOf(scene.planned);
      const before = scene.world.stepsOf(scene.one).filter((id) => id === undo).length;
      hold(scene, undo);
      await scene.world.control(scene.one, { kind: 'rollback' });
      await scene.world.untilBegun(scene.one, undo, before + 1);
    },
  },
  {
    name: 'rolled back',
    fits: isUndone,
    play: async (scene) => {
      await untilFailed(scene);
      await scene.world.control(scene.one, { kind: 'rollback' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'rollback has no plan',
    fits: isUndone,
    play: async (scene) => {
      await untilFailed(scene);
      refuse(scene, 'makePlan', 'RESOURCE_MISSING');
      await scene.world.control(scene.one, { kind: 'rollback' }).catch(() => {});
    },
  },
  { name: 'rollback failed', fits: isUndone, play: untilRollbackFailed },
  {
    name: 'rollback failed, rolled back',
    fits: isUndone,
    play: async (scene) => {
      await untilRollbackFailed(scene);
      await scene.world.control(scene.one, { kind: 'rollback' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'rollback failed, retried from the beginning',
    fits: isUndone,
    play: async (scene) => {
      await untilRollbackFailed(scene);
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.ended(scene.one);
    },
  },
  { name: 'paused', fits: hasSeveral, play: untilPaused },
  {
    name: 'resumed',
    fits: hasSeveral,
    play: async (scene) => {
      await untilPaused(scene);
      await scene.world.control(scene.one, { kind: 'resume', stepId: lastOf(scene.planned) });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'running step retried',
    fits: hasSteps,
    play: async (scene) => {
      const stepId = firstOf(scene.planned);
      const release = await untilHeld(scene, stepId);
      await scene.world.control(scene.one, { kind: 'retryStep', stepId });
      await scene.world.untilBegun(scene.one, stepId, 2);
      release();
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'failed step retried',
    fits: hasSteps,
    play: async (scene) => {
      await untilFailed(scene);
      await scene.world.control(scene.one, { kind: 'retryStep', stepId: middleOf(scene.planned) });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'step skipped',
    fits: (planned) => hasSteps(planned) && skippable(planned).length > 0,
    play: async (scene) => {
      const stepId = idOf(skippable(scene.planned)[0]);
      await untilHeld(scene, stepId);
      await scene.world.control(scene.one, { kind: 'skipStep', stepId, reason: 'done by hand' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'cancel is pending',
    fits: hasSteps,
    play: async (scene) => {
      await untilHeld(scene, firstOf(scene.planned));
      await scene.world.control(scene.one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
    },
  },
  {
    name: 'cancelled gracefully',
    fits: hasSteps,
    play: async (scene) => {
      const release = await untilHeld(scene, firstOf(scene.planned));
      await scene.world.control(scene.one, { kind: 'cancel', cancelMode: 'GRACEFUL' });
      release();
      await scene.world.untilRecorded(scene.one, 'FAILED_TEMP OPERATION_CANCELLED');
    },
  },
  {
    name: 'cancelled forcefully, retried',
    fits: hasSteps,
    play: async (scene) => {
      const release = await untilHeld(scene, firstOf(scene.planned));
      await scene.world.control(scene.one, { kind: 'cancel', cancelMode: 'FORCEFUL' });
      await scene.world.untilRecorded(scene.one, 'FAILED_TEMP OPERATION_CANCELLED');
      release();
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.ended(scene.one);
    },
  },
  { name: 'end cannot be recorded', fits: isEmpty, play: untilEndRefused },
  {
    name: 'end cannot be recorded, rolled back',
    fits: isEmpty,
    play: async (scene) => {
      await untilEndRefused(scene);
      scene.world.broken.delete(ofOperation(scene.one, 'recordEnd'));
      await scene.world.control(scene.one, { kind: 'rollback' });
      await scene.world.ended(scene.one);
    },
  },
  { name: 'waiting on a timer', fits: waits, play: untilTimer },
  {
    name: 'waiting on a timer, cancelled',
    fits: waits,
    play: async (scene) => {
      await untilTimer(scene);
      await scene.world.control(scene.one, { kind: 'cancel', cancelMode: 'FORCEFUL' });
      await scene.world.untilRecorded(scene.one, 'FAILED_TEMP OPERATION_CANCELLED');
    },
  },
  {
    name: 'waiting on a timer, skipped',
    fits: waits,
    play: async (scene) => {
      await untilTimer(scene);
      const stepId = idOf(scene.planned.forward.steps.find(({ kind }) => kind === 'gracePeriod'));
      await scene.world.control(scene.one, { kind: 'skipStep', stepId, reason: 'nobody uses it' });
      await scene.world.ended(scene.one);
    },
  },
  { name: 'taken over', fits: hasSteps, play: (scene) => takeOver(scene) },
  {
    name: 'taken over, retried',
    fits: hasSteps,
    play: async (scene) => {
      await takeOver(scene);
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.ended(scene.one);
    },
  },
  {
    name: 'taken over without a plan, retried',
    fits: isFirst,
    play: async (scene) => {
      await takeOver(scene, true);
      await scene.world.control(scene.one, { kind: 'retry' });
      await scene.world.ended(scene.one);
    },
  },
];
