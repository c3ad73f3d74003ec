import type { Client } from '@temporalio/client';
import type { OperationRef } from '../domain/operation/activity-contract.ts';
import { type OperatorAction, refusalInState } from '../domain/operation/operator-actions.ts';
import { DECISIONS } from '../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../domain/operations.ts';
import { VnflowError } from '../domain/problems.ts';
import type { Database } from '../store/open-store.ts';
import { findOperation } from '../store/operations.ts';
import { controlUpdates, workflowId } from '../workflows/contract.ts';
import { failAtDefect, SECOND_ATTEMPT } from './engine-defect.ts';
import { isEnded, toEngineProblem } from './engine-problem.ts';
import { settleOperation, takeOver } from './lost-operation.ts';

const CONTROL_DEADLINE_MS = 15_000;
/** A workflow that ends right after its last record still counts as running at the first look. */
const TRIES = 3;

interface Engine {
  readonly client: Client;
  readonly db: Database;
}

/**
 * Sends the control of an operator to the workflow, as the update that the Temporal UI offers, too. For a decision
 * about an operation whose workflow is gone, it first starts a new workflow.
 * @throws VnflowError OPERATION_STATE, STEP_STATE, ROLLBACK_NOT_SUPPORTED, NOT_FOUND, ENGINE_UNAVAILABLE, ENGINE_DEFECT
 */
export async function controlOperation(engine: Engine, action: OperatorAction, ref: OperationRef): Promise<void> {
  const row = await findOperation(engine.db, ref.vnfLcmOpOccId);
  try {
    const isLost = row?.lost != null;
    await failAtDefect(engine.client, { ...ref, build: row?.build }, (abandoned) =>
      carryOut(engine, action, { ref, isLost, abandoned }),
    );
  } catch (error) {
    const isDefect = error instanceof VnflowError && error.code === 'ENGINE_DEFECT';
    if (isDefect) await settleOperation(engine, ref.vnfLcmOpOccId, SECOND_ATTEMPT).catch(() => {}); // the reconciler tries again
    throw error;
  }
}

async function carryOut(
  engine: Engine,
  action: OperatorAction,
  { ref, isLost, abandoned }: { readonly ref: OperationRef; readonly isLost: boolean; readonly abandoned: AbortSignal },
): Promise<void> {
  try {
    if (!isLost && (await sendControl(engine.client, action, ref)) === 'sent') return;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const standing = await settleOperation(engine, ref.vnfLcmOpOccId);
      if (standing === 'ended') break;
      if (standing === 'lost') {
        if (!isDecision(action)) break;
        await takeOver(engine, ref.vnfLcmOpOccId);
      }
      abandoned.throwIfAborted(); // the operator has an answer already
      if ((await sendControl(engine.client, action, ref)) === 'sent') return;
    }
    throw await refusalNow(engine.db, action, ref);
  } catch (error) {
    throw toEngineProblem(error);
  }
}

/**
 * Sends a control as an update to the workflow of an operation.
 * @returns `ended` when no workflow of the operation runs
 * @throws Error why the control was refused, or why there was no answer
 * @internal exported for tests
 */
export async function sendControl(
  client: Client,
  { kind, ...sent }: OperatorAction,
  { vnfInstanceId, vnfLcmOpOccId }: OperationRef,
): Promise<'sent' | 'ended'> {
  try {
    await client.connection.withDeadline(Date.now() + CONTROL_DEADLINE_MS, () =>
      client.workflow
        .getHandle(workflowId(vnfInstanceId))
        .executeUpdate(controlUpdates[kind], { args: [{ ...sent, vnfLcmOpOccId }] }),
    );
    return 'sent';
  } catch (error) {
    if (isEnded(error)) return 'ended';
    throw error;
  }
}

function isDecision({ kind }: OperatorAction): boolean {
  return DECISIONS.some((decision) => decision === kind);
}

/** Checks the control with the state in the store, which has changed since the first check. @returns the refusal */
async function refusalNow(db: Database, action: OperatorAction, ref: OperationRef): Promise<VnflowError> {
  const row = await findOperation(db, ref.vnfLcmOpOccId);
  const refusal =
    row &&
    refusalInState(
      action,
      {
        operation: row.operation,
        rollbackSupported: LCM_OPERATIONS[row.operation].isRollbackSupported(row.operationParams),
      },
      row.operationState,
    );
  const detail = `${action.kind}: no workflow runs for this operation, which is ${row?.operationState ?? 'gone'}.`;
  return new VnflowError(refusal?.code ?? 'OPERATION_STATE', { detail: refusal?.detail ?? detail });
}
