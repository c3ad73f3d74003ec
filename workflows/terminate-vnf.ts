import type { OperationInput } from '../domain/operation/activity-contract.ts';
import { runOperation } from './operation.ts';

/** SOL003 5.4.8: grace period, stack deleted, everything of the instance forgotten. */
export async function terminateVnf(input: OperationInput): Promise<string> {
  return runOperation(input);
}
