/** The shape of a code of the catalogue (`domain/problems.ts`). Node's own codes look alike, and are few, too. */
const CODE = /^[A-Z][A-Z_]{2,40}$/;

/**
 * Names an error by a code, for metrics and traces: few values, and nothing of its text.
 * @returns the code of a problem or the type of a failure; `ABORTED` for work that was stopped; else `OTHER`
 */
export function outcomeCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'OTHER';
  if (error.name === 'AbortError' || error.name === 'CancelledFailure') return 'ABORTED';
  const named = 'code' in error ? error.code : 'type' in error ? error.type : undefined;
  return typeof named === 'string' && CODE.test(named) ? named : 'OTHER';
}
