import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure } from '@temporalio/common';

/** What the activity of a failed workflow threw; any other error itself. */
export function rootOf(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  return (cause instanceof ActivityFailure ? cause.cause : cause) ?? error;
}
