import type { OperationRef, RecordActivities } from '../../domain/operation/activity-contract.ts';
import type { Plan } from '../../domain/operation/plan.ts';
import type { OperationProgress } from '../../domain/operation/progress.ts';
import type { StepCondition } from '../../domain/operation/step-control.ts';
import type { StepFailure } from '../../domain/operation/step-failure.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { isProblemCode, VnflowError } from '../../domain/problems.ts';
import { slotsOf } from '../../domain/steps/index.ts';
import { type AdoptedOperation, adoptLostOperation } from '../../store/lost-operations.ts';
import { findPlan } from '../../store/operation-plans.ts';
import { listSteps, type OperationStepRow } from '../../store/operation-steps.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { labelsOf } from '../node/node-labels.ts';
import { problemOf } from './operation-problem.ts';

/** How a step of a lost operation stands. A step that had begun is tried again: it looks before it acts. */
const CONDITION: Readonly<Record<OperationStepRow['state'], (step: OperationStepRow) => StepCondition>> = {
  WAITING: ({ attempt }) => (attempt > 0 ? 'failed' : 'waiting'),
  PAUSED: () => 'paused',
  RUNNING: () => 'failed',
  DONE: () => 'done',
  FAILED: () => 'failed',
  CANCELLED: () => 'cancelled',
  SKIPPED: () => 'skipped',
};

/** A new workflow goes on where the one that is gone stopped, as far as the store knows it. */
export function createAdoptActivity(deps: ActivityDependencies): Pick<RecordActivities, 'adoptOperation'> {
  return { adoptOperation: (ref) => adopt(deps, ref) };
}

async function adopt(deps: ActivityDependencies, ref: OperationRef): Promise<OperationProgress> {
  const { vnfLcmOpOccId: id } = ref;
  const operation = await adoptLostOperation(deps.db, id);
  if (!operation) {
    throw new VnflowError('OPERATION_STATE', { detail: `The operation ${id} has ended: no workflow takes it over.` });
  }
  const forward = await findPlan(deps.db, id, 'forward');
  const rollback = operation.planDirection === 'rollback' ? await findPlan(deps.db, id, 'rollback') : undefined;
  const followed = rollback ?? forward;
  const lost = lostFailure(operation);
  const steps = followed ? await stepsOfPlan(deps, id, followed) : [];
  const labels = await labelsOf(deps.db, ref.vnfInstanceId, [...new Set((followed?.steps ?? []).flatMap(slotsOf))]);
  return {
    seq: operation.recordSeq,
    round: operation.round,
    rollbackSupported: LCM_OPERATIONS[operation.operation].isRollbackSupported(operation.operationParams),
    ...(forward ? { forward } : {}),
    ...(rollback ? { rollback } : {}),
    conditions: Object.fromEntries(steps.map((step) => [step.stepId, CONDITION[step.state](step)])),
    failures: Object.fromEntries(steps.map((step) => [step.stepId, failureOfStep(step, lost)])),
    lost,
    remedy: problemOf({ state: 'FAILED_TEMP', vnfLcmOpOccId: id, otherFailures: 0 }, lost).remedy,
    labels,
  };
}

async function stepsOfPlan(deps: ActivityDependencies, id: string, plan: Plan): Promise<OperationStepRow[]> {
  const ids = new Set(plan.steps.map((step) => step.id));
  return (await listSteps(deps.db, id)).filter(({ stepId }) => ids.has(stepId));
}

function lostFailure({ error }: AdoptedOperation): StepFailure {
  return failureIn(error) ?? { code: 'ENGINE_LOST', detail: 'The workflow of this operation is gone.' };
}

function failureOfStep({ stepId, error }: OperationStepRow, lost: StepFailure): StepFailure {
  return { ...(failureIn(error) ?? lost), stepId };
}

/** A problem as the store keeps it; rows of older releases may say less. */
function failureIn(error: Readonly<Record<string, unknown>> | null): StepFailure | undefined {
  const code = error?.['code'];
  const detail = error?.['detail'];
  if (typeof code !== 'string' || !isProblemCode(code) || typeof detail !== 'string') return undefined;
  return { code, detail };
}
