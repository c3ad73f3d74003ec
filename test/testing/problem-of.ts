import { VnflowError } from '../../domain/problems.ts';

/** The VnflowError that this work ends with. */
export async function problemOf(work: Promise<unknown>): Promise<VnflowError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof VnflowError) return error;
  throw new Error(`expected a VnflowError, got ${String(error)}`);
}
