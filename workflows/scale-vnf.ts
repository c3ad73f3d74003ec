import type { OperationInput } from '../domain/operation/activity-contract.ts';
import { runOperation } from './operation.ts';

/** SOL003 5.4.5: workers come, prepared and joined, or go, drained first. */
export async function scaleVnf(input: OperationInput): Promise<string> {
  return runOperation(input);
}
