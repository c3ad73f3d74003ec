import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';

/** Finds the error that the activity of a failed workflow threw. @returns any other error unchanged */
export function rootOf(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  return (cause instanceof ActivityFailure ? cause.cause : cause) ?? error;
}
