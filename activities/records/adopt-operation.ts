import type { Plan } from '../../domain/operation/plan.ts';
import type { OperationProgress } from '../../domain/operation/progress.ts';
import type { StepCondition } from '../../domain/operation/step-control.ts';
import type { StepFailure } from '../../domain/operation/step-failure.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { isProblemCode, VnflowError } from '../../domain/problems.ts';
import { slotsOf } from '../../domain/steps/index.ts';
import { type AdoptedOperation, adoptLostOperation } from '../../store/lost-operations.ts';
import type { Database } from '../../store/open-store.ts';
import { findPlan } from '../../store/operation-plans.ts';
import { listSteps, type OperationStepRow } from '../../store/operation-steps.ts';
import { readLabels } from '../node/node-labels.ts';
import { problemOf } from './operation-problem.ts';
import type { RecordContext } from './record-context.ts';

/**
 * How a step of a lost operation stands. A step that had begun counts as failed and is repeated: it looks before it
 * acts.
 */
const CONDITION: Readonly<Record<OperationStepRow['state'], (step: OperationStepRow) => StepCondition>> = {
  WAITING: ({ attempt }) => (attempt > 0 ? 'failed' : 'waiting'),
  PAUSED: () => 'paused',
  RUNNING: () => 'failed',
  DONE: () => 'done',
  FAILED: () => 'failed',
  CANCELLED: () => 'cancelled',
  SKIPPED: () => 'skipped',
};

/**
 * Reads the progress of an operation whose workflow is gone, for the new workflow that takes it over.
 * @throws VnflowError OPERATION_STATE when the operation has ended
 */
export async function adoptOperation({ deps, input }: RecordContext<'adoptOperation'>): Promise<OperationProgress> {
  const { vnfLcmOpOccId: id } = input;
  const operation = await adoptLostOperation(deps.db, id, deps.build);
  if (!operation) {
    throw new VnflowError('OPERATION_STATE', { detail: `The operation ${id} has ended: no workflow takes it over.` });
  }
  const forward = await findPlan(deps.db, id, 'forward');
  const rollback = operation.planDirection === 'rollback' ? await findPlan(deps.db, id, 'rollback') : undefined;
  const followed = rollback ?? forward;
  const lost = lostFailure(operation);
  const steps = followed ? await listStepsOfPlan(deps.db, id, followed) : [];
  const labels = await readLabels(deps.db, input.vnfInstanceId, [...new Set((followed?.steps ?? []).flatMap(slotsOf))]);
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

async function listStepsOfPlan(db: Database, id: string, plan: Plan): Promise<OperationStepRow[]> {
  const ids = new Set(plan.steps.map((step) => step.id));
  return (await listSteps(db, id)).filter(({ stepId }) => ids.has(stepId));
}

function lostFailure({ error }: AdoptedOperation): StepFailure {
  return failureIn(error) ?? { code: 'ENGINE_LOST', detail: 'The workflow of this operation is gone.' };
}

function failureOfStep({ stepId, error }: OperationStepRow, lost: StepFailure): StepFailure {
  return { ...(failureIn(error) ?? lost), stepId };
}

/**
 * Reads a problem as the store keeps it.
 * @returns undefined when code or detail are missing, as in rows of older releases
 */
function failureIn(error: Readonly<Record<string, unknown>> | null): StepFailure | undefined {
  const code = error?.['code'];
  const detail = error?.['detail'];
  if (typeof code !== 'string' || !isProblemCode(code) || typeof detail !== 'string') return undefined;
  return { code, detail };
}
