import type { OperationInput } from '../domain/operation/activity-contract.ts';
import { runOperation } from './operation.ts';

/** SOL003 5.4.9: nodes are replaced by new ones, without etcd ever losing its majority. */
export async function healVnf(input: OperationInput): Promise<string> {
  return runOperation(input);
}
