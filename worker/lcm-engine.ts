import { Client, Connection } from '@temporalio/client';
import type { OperationInput, OperationRef } from '../domain/activity-contract.ts';
import type { ClusterLook, LookRequest } from '../domain/cluster-look.ts';
import { isRollbackSupported } from '../domain/operation-state.ts';
import { type OperatorAction, refusalInState } from '../domain/operator-actions.ts';
import { VnflowError } from '../domain/problems.ts';
import type { Database } from '../store/open-store.ts';
import { findOpenOperation, findOperation } from '../store/operations.ts';
import { controlOperation, lookAtCluster, startOperation } from '../workflows/client.ts';

export interface ConnectedEngine {
  start(input: OperationInput): Promise<void>;
  control(action: OperatorAction, ref: OperationRef): Promise<void>;
  look(request: LookRequest): Promise<ClusterLook>;
  close(): Promise<void>;
}

/** The engine as the API uses it: a client of the Temporal server. @throws Error when the server does not answer */
export async function connectEngine(
  db: Database,
  { temporalAddress, namespace }: { temporalAddress: string; namespace: string },
): Promise<ConnectedEngine> {
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection, namespace });
  return {
    start: (input) =>
      startOperation(client, input, async () => (await findOpenOperation(db, input.vnfInstanceId)) !== undefined),
    control: (action, ref) => controlOperation(client, action, { ...ref, ended: () => endedRefusal(db, action, ref) }),
    look: (request) => lookAtCluster(client, request),
    close: () => connection.close(),
  };
}

/** The operation ended between the look into the store and the update. */
async function endedRefusal(db: Database, action: OperatorAction, ref: OperationRef): Promise<VnflowError> {
  const row = await findOperation(db, ref.vnfLcmOpOccId);
  const refusal =
    row &&
    refusalInState(
      action,
      { operation: row.operation, rollbackSupported: isRollbackSupported(row.operation, row.operation_params) },
      row.operation_state,
    );
  const detail = `${action.kind}: no workflow runs for this operation, which is ${row?.operation_state ?? 'gone'}.`;
  return new VnflowError(refusal?.code ?? 'OPERATION_STATE', { detail: refusal?.detail ?? detail });
}
