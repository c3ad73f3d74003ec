import type { Logger } from 'pino';
import { type ProblemCode, type ProblemDetails, problemDetails, VnflowError } from '../../domain/problems.ts';

/** A problem and the headers that go with it. */
export interface ProblemAnswer {
  readonly problem: ProblemDetails;
  readonly headers: Readonly<Record<string, string>>;
}

const BY_HTTP_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'BAD_REQUEST',
  413: 'TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** `Retry-After` of a 503 whose error gives no time. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Makes a problem of any error; no other code does. An unexpected error is logged, and its problem does not contain its
 * text.
 */
export function toProblem(error: unknown, log: Logger): ProblemAnswer {
  if (error instanceof VnflowError) {
    if (error.kind.status >= 500) log.warn({ code: error.code, seen: error.seen }, error.message);
    const retryAfter = error.retryAfterSeconds ?? (error.kind.status === 503 ? RETRY_AFTER_SECONDS : undefined);
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    return {
      problem: problemDetails(error.code, { detail: error.message, ...(error.seen ? { seen: error.seen } : {}) }),
      headers,
    };
  }
  const code = BY_HTTP_STATUS[httpStatusOf(error)];
  if (code) return { problem: problemDetails(code, { detail: frameworkSentence(code) }), headers: {} };
  log.error({ err: error }, 'unexpected error');
  return {
    problem: problemDetails('INTERNAL', { detail: 'vnflow met an unexpected error; its log has the cause.' }),
    headers: {},
  };
}

/** Express and its body parser throw errors that carry a status. */
function httpStatusOf(error: unknown): number {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 500;
}

function frameworkSentence(code: ProblemCode): string {
  if (code === 'TOO_LARGE') return 'The request body is too large.';
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return 'The Content-Encoding of the request body is not supported.';
  return 'The request is malformed.';
}
