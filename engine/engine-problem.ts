import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { isProblemCode, VnflowError } from '../domain/problems.ts';

/** Temporal's name for the failure of an update whose workflow ended before the handler. */
const ENDED_BEFORE_THE_UPDATE = 'AcceptedUpdateCompletedWorkflow';

/** Does the error mean that the workflow of an update has ended, or that there is none? */
export function isEnded(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  const failure = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === ENDED_BEFORE_THE_UPDATE;
}

/** Turns the error of a call to Temporal into a problem of the API. */
export function toEngineProblem(error: unknown): VnflowError {
  if (error instanceof VnflowError) return error;
  const failure = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  if (failure instanceof ApplicationFailure && failure.type && isProblemCode(failure.type)) {
    return new VnflowError(failure.type, { detail: failure.message, cause: error });
  }
  if (
    error instanceof TimeoutFailure ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcServiceError(error) ||
    isEnded(error)
  ) {
    return new VnflowError('ENGINE_UNAVAILABLE', {
      detail: 'The workflow engine did not answer in time.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  const detail = (failure instanceof Error ? failure.message : undefined) || String(error);
  return new VnflowError('INTERNAL', { detail, cause: error });
}
