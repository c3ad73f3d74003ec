import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import type { OperationInput, OperationRef } from '../domain/activity-contract.ts';
import type { ClusterLook, LookRequest } from '../domain/cluster-look.ts';
import type { OperatorAction } from '../domain/operator-actions.ts';
import type { Database } from '../store/open-store.ts';
import { findOpenOperation } from '../store/operations.ts';
import type { Secrets } from '../store/secrets.ts';
import { clearInstance } from './clear-instance.ts';
import { controlOperation } from './control-operation.ts';
import { toEngineProblem } from './engine-problem.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { settleOperation } from './lost-operation.ts';
import { endObsoleteWorkflow } from './obsolete-workflow.ts';
import { startReconciler } from './reconciler.ts';
import { startOperation } from './start-operation.ts';

export interface ConnectedEngine {
  start(input: OperationInput): Promise<void>;
  control(action: OperatorAction, ref: OperationRef): Promise<void>;
  settle(vnfLcmOpOccId: string): Promise<void>;
  look(request: LookRequest): Promise<ClusterLook>;
  clear(vnfInstanceId: string): Promise<void>;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Tests compare more often. */
  readonly reconcileEveryMs?: number;
}

/** The engine as the API uses it: a client of the Temporal server. @throws Error when the server does not answer */
export async function connectEngine(db: Database, options: EngineOptions): Promise<ConnectedEngine> {
  const { temporalAddress, namespace, secrets, log, reconcileEveryMs } = options;
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection, namespace });
  const engine = { client, db };
  const reconciler = startReconciler({ ...engine, secrets, log }, reconcileEveryMs);
  return {
    start: (input) => start(engine, input),
    control: (action, ref) => controlOperation(engine, action, ref),
    settle: async (id) => {
      await settleOperation(engine, id).catch((error: unknown) => Promise.reject(toEngineProblem(error)));
    },
    look: (request) => lookAtCluster(client, request),
    clear: (vnfInstanceId) => clearInstance(client, vnfInstanceId),
    close: async () => {
      await reconciler.stop();
      await connection.close();
    },
  };
}

async function start(engine: { client: Client; db: Database }, input: OperationInput): Promise<void> {
  const { client, db } = engine;
  const { vnfInstanceId } = input;
  await startOperation(client, input, {
    isOpen: async () => (await findOpenOperation(db, vnfInstanceId)) !== undefined,
    endObsolete: () => endObsoleteWorkflow(engine, vnfInstanceId),
  });
}
