import { VnflowError } from '../domain/problems.ts';

/**
 * The refusal of a package.
 * @param detail a sentence that names the entry, and what to do
 */
export function csarInvalid(detail: string, cause?: unknown): VnflowError {
  return new VnflowError('CSAR_INVALID', { detail, cause });
}
