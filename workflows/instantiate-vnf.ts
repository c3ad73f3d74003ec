import type { OperationInput } from '../domain/operation/activity-contract.ts';
import { runOperation } from './operation.ts';

/** SOL003 5.4.4: Heat stack, nodes, control plane, workers, CNI. */
export async function instantiateVnf(input: OperationInput): Promise<string> {
  return runOperation(input);
}
