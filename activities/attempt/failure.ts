import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { foreignText } from '../../domain/foreign-text.ts';
import { PROBLEMS, VnflowError } from '../../domain/problems.ts';

/**
 * Makes a failure of Temporal with a stable type of any error. A step with a defect, or without its database, is
 * repeated within its attempts.
 */
export function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (error instanceof VnflowError) {
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !PROBLEMS[error.code].retriable,
      details: [{ ...(error.seen === undefined ? {} : { seen: error.seen }) }],
      ...(error.retryAfterSeconds === undefined ? {} : { nextRetryDelay: error.retryAfterSeconds * 1000 }),
    });
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({ type: 'INTERNAL', message: foreignText(message), nonRetryable: false });
}
