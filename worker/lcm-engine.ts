import { Client, Connection } from '@temporalio/client';
import type { OperationInput, OperationRef } from '../domain/activity-contract.ts';
import type { Control } from '../domain/operation-state.ts';
import type { Database } from '../store/open-store.ts';
import { findOpenOperation } from '../store/operations.ts';
import { controlOperation, startOperation } from '../workflows/client.ts';

export interface ConnectedEngine {
  start(input: OperationInput): Promise<void>;
  control(control: Control, ref: OperationRef): Promise<void>;
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
    control: (control, { vnfInstanceId }) => controlOperation(client, control, vnfInstanceId),
    close: () => connection.close(),
  };
}
