import { VnflowError } from '../domain/problems.ts';

/**
 * Makes the problem of a package that is refused.
 * @param detail a sentence that names the entry and says what to do
 */
export function createCsarProblem(detail: string, cause?: unknown): VnflowError {
  return new VnflowError('CSAR_INVALID', { detail, cause });
}
