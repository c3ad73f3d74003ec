import { type Client, isGrpcServiceError } from '@temporalio/client';
import { VnflowError } from '../domain/problems.ts';

/** The entry of the namespace's data that names its store. */
const CLAIM = 'vnflow.store';
/** gRPC: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. Temporal Cloud and some authorizers forbid the update. */
const REFUSALS: ReadonlySet<number> = new Set([3, 7, 12]);

/**
 * Claims the Temporal namespace for a store. The workers of two stores in one namespace would take each other's tasks
 * and fail them, because each worker finds the operations of its own store only.
 * @param storeId id of the store
 * @returns `unclaimed` when this client may not write to the namespace: then the administrator must keep it apart
 * @throws VnflowError NAMESPACE_TAKEN; ServiceError when Temporal does not answer
 */
export async function claimNamespace(client: Client, storeId: string): Promise<'claimed' | 'unclaimed'> {
  const { namespace } = client.options;
  if ((await readClaim(client)) === undefined) {
    try {
      await client.workflowService.updateNamespace({ namespace, updateInfo: { data: { [CLAIM]: storeId } } });
    } catch (error) {
      if (isGrpcServiceError(error) && REFUSALS.has(error.code)) return 'unclaimed';
      throw error;
    }
  }
  // another vnflow may have claimed it at the same moment
  const owner = await readClaim(client);
  if (owner === storeId) return 'claimed';
  throw new VnflowError('NAMESPACE_TAKEN', {
    detail: `The Temporal namespace ${namespace} belongs to the store ${owner ?? 'of another vnflow'}, and the store of this vnflow is ${storeId}.`,
  });
}

async function readClaim(client: Client): Promise<string | undefined> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.data?.[CLAIM] || undefined;
}
