import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import type { AccessRequest, LookRequest, OperationRef } from '../domain/operation/activity-contract.ts';
import type { OperatorAction } from '../domain/operation/operator-actions.ts';
import type { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import type { Database } from '../store/open-store.ts';
import { findOpenOperation } from '../store/operations.ts';
import type { Secrets } from '../store/secrets.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { type EngineCheck, engineChecks } from './check-engine.ts';
import { clearInstance } from './clear-instance.ts';
import { controlOperation } from './control-operation.ts';
import { toEngineProblem } from './engine-problem.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { settleOperation } from './lost-operation.ts';
import { makeKubeconfig } from './make-kubeconfig.ts';
import { endObsoleteWorkflow } from './obsolete-workflow.ts';
import { startReconciler } from './reconciler.ts';
import { type StartedOperation, startOperation } from './start-operation.ts';
import { connectionAccess, type TemporalAccess } from './temporal-access.ts';

export interface ConnectedEngine {
  start(input: StartedOperation): Promise<void>;
  control(action: OperatorAction, ref: OperationRef): Promise<void>;
  settle(vnfLcmOpOccId: string): Promise<void>;
  look(request: LookRequest): Promise<ClusterLook>;
  makeKubeconfig(request: AccessRequest): Promise<void>;
  clear(vnfInstanceId: string): Promise<void>;
  /** What operations need of Temporal. */
  readonly checks: readonly EngineCheck[];
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly temporalAccess?: TemporalAccess | undefined;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Resolves when the store can be used. The first comparison waits for it. */
  readonly storeOpened?: Promise<unknown>;
  /** Tests compare more often. */
  readonly reconcileEveryMs?: number;
  /** So many days the logs of steps are kept after the end of their operation. Undefined: the reconciler's default. */
  readonly stepLogDays?: number | undefined;
}

/** The client reconnects quickly: with the default, the pause between two attempts would grow to two minutes. */
const CHANNEL = { 'grpc.initial_reconnect_backoff_ms': 250, 'grpc.max_reconnect_backoff_ms': 2_000 };

/**
 * Creates the engine that the API uses: a client of the Temporal server. It connects at the first call. While the
 * server is away, calls throw ENGINE_UNAVAILABLE.
 */
export function connectEngine(db: Database, options: EngineOptions): ConnectedEngine {
  const {
    temporalAddress,
    namespace,
    secrets,
    log,
    storeOpened,
    reconcileEveryMs,
    stepLogDays,
    temporalAccess = {},
  } = options;
  const access = connectionAccess(temporalAccess);
  const connection = Connection.lazy({ address: temporalAddress, channelArgs: CHANNEL, ...access });
  const client = new Client({ connection, namespace });
  const engine = { client, db };
  const reconciler = startReconciler(
    { ...engine, secrets, log, stepLogDays },
    { after: storeOpened, everyMs: reconcileEveryMs },
  );
  return {
    start: (input) => start(engine, input),
    control: (action, ref) => controlOperation(engine, action, ref),
    settle: async (id) => {
      await settleOperation(engine, id).catch((error: unknown) => Promise.reject(toEngineProblem(error)));
    },
    look: (request) => lookAtCluster(client, request),
    makeKubeconfig: (request) => makeKubeconfig(client, request),
    clear: (vnfInstanceId) => clearInstance(client, vnfInstanceId),
    checks: engineChecks(client),
    close: async () => {
      await reconciler.stop();
      await connection.close();
    },
  };
}

async function start(engine: { client: Client; db: Database }, input: StartedOperation): Promise<void> {
  const { client, db } = engine;
  const { vnfInstanceId } = input;
  const instanceName = (await findVnfInstance(db, vnfInstanceId))?.name;
  await startOperation(
    client,
    { ...input, instanceName },
    {
      isOpen: async () => (await findOpenOperation(db, vnfInstanceId)) !== undefined,
      endObsolete: () => endObsoleteWorkflow(engine, vnfInstanceId),
    },
  );
}
