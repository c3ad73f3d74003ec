import type { OperationFact, OperationFactKey, OperationFacts } from '../../domain/operation-facts.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import type { ActivityContext } from '../activity-context.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';

/**
 * Reads what an earlier activity of the operation has kept.
 * @returns undefined when no activity has kept it
 * @throws ZodError when the value is not of this fact
 */
export function readFact<K extends OperationFactKey>(
  { deps, input }: ActivityContext,
  key: K,
): Promise<OperationFact<K> | undefined> {
  return readOperationFact(deps.db, input.vnfLcmOpOccId, key);
}

/** Keeps facts for later activities of the operation. @throws Error when the attempt was overtaken */
export async function keepFacts({ deps, input }: ActivityContext, facts: OperationFacts): Promise<void> {
  await writeAsAttempt(deps, ({ db }) => keepOperationFacts(db, input.vnfLcmOpOccId, facts));
}
