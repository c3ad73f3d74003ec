import { randomUUID } from 'node:crypto';
import type { RecordedState } from '../../domain/operation/activity-contract.ts';
import { isFinal } from '../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { listSteps } from '../../store/operation-steps.ts';
import { recordOperationState, type VnfLcmOpOccRow } from '../../store/operations.ts';
import type { ActivityContext } from '../activity-context.ts';
import { isGranted, readOperation } from '../facts/operation-facts.ts';
import { readKeptAccess } from './kept-access.ts';
import { errorAtTheEnd, problemOf } from './operation-problem.ts';
import type { RecordContext } from './record-context.ts';
import { traceOperation } from './trace-operation.ts';

/** Writes a state that an operation enters, and why. @returns the remedy of the failure, if there is a failure */
export async function recordState(context: RecordContext<'recordState'>): Promise<RecordedState> {
  const { deps, input } = context;
  const { vnfLcmOpOccId, seq, state, failure, otherFailures = 0, by, round, follow } = input;
  const row = await readOperation(context);
  const { grantId, error } = row;
  const problem = failure && problemOf({ state, vnfLcmOpOccId, otherFailures }, failure);
  const shown = problem ?? (isFinal(state) && errorAtTheEnd({ state, vnfLcmOpOccId }, error));
  await recordOperationState(deps.db, vnfLcmOpOccId, {
    seq,
    state,
    round,
    ...(follow === undefined ? {} : { follow }),
    text: `${state}${problem ? `: ${problem.detail}` : ''}${by === undefined ? '' : ` by ${by}`}`,
    ...(shown ? { error: shown } : {}),
    ...(state === 'PROCESSING' && grantId === null && isGranted(row) ? { grantId: randomUUID() } : {}),
    ...(state === 'FAILED_TEMP'
      ? { begunSteps: failure?.code === 'OPERATION_CANCELLED' ? 'CANCELLED' : 'FAILED' }
      : {}),
    ...(state === 'FAILED' && (await mayLeaveStack(context, row)) ? { also: await readKeptAccess(context) } : {}),
  });
  const { vnfInstanceId, operation } = row;
  const code = problem ? { code: problem.code } : {};
  deps.log.info({ vnfLcmOpOccId, vnfInstanceId, operation, state, ...code, by }, 'operation entered a state');
  if (isFinal(state) && !isFinal(row.operationState)) await traceOperation(context);
  if (state === 'FAILED' || state === 'ROLLED_BACK') await deps.secrets.removeOwnedBy(vnfLcmOpOccId);
  return problem ? { remedy: problem.remedy } : {};
}

/**
 * Whether an operation that fails now may leave a stack behind. Then the access to its VIM is kept until the instance
 * is deleted.
 */
async function mayLeaveStack(
  { deps }: ActivityContext,
  { id, operation, operationState }: VnfLcmOpOccRow,
): Promise<boolean> {
  if (LCM_OPERATIONS[operation].servers !== 'created' || isFinal(operationState)) return false;
  return (await listSteps(deps.db, id)).some(({ kind, attempt }) => kind === 'applyStack' && attempt > 0);
}
