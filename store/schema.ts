import type { ColumnType, Generated } from 'kysely';
import type { DiscoveredNode } from '../domain/discovered-stack.ts';
import type { CancelMode, OperationState } from '../domain/operation/state.ts';
import type { Operation } from '../domain/operations.ts';

/** A jsonb column: read as a value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>;
type JsonOptional<T> = ColumnType<T | null, string | null, string | null>;
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;
type Free = Record<string, unknown>;

export interface VnfPackageTable {
  id: string;
  tenant: string;
  onboardingState: 'CREATED' | 'UPLOADING' | 'PROCESSING' | 'ONBOARDED';
  operationalState: 'ENABLED' | 'DISABLED';
  userDefinedData: Json<Free>;
  vnfdId: string | null;
  provider: string | null;
  productName: string | null;
  softwareVersion: string | null;
  vnfdVersion: string | null;
  checksum: JsonOptional<{ algorithm: string; hash: string }>;
  softwareImages: JsonOptional<Free[]>;
  additionalArtifacts: JsonOptional<Free[]>;
  /** Paths of the files that are in the archive only: images, and those that are too large to be kept beside it. */
  largeFiles: JsonOptional<string[]>;
  /** The attempt that fetches the package from a URI; every change of that upload names it. */
  uploadAttempt: string | null;
  /** When that attempt was last seen alive. */
  uploadSeenAt: Date | null;
  /** Problem details of the last upload from a URI that failed. */
  onboardingFailure: JsonOptional<Free>;
  createdAt: Generated<Date>;
}

/** The archive as uploaded, in pieces. */
export interface VnfPackageContentTable {
  packageId: string;
  seq: number;
  chunk: Bytes;
}

/** Files of an onboarded package that vnflow reads again: VNFD, HOT, scripts. */
export interface VnfPackageFileTable {
  packageId: string;
  path: string;
  content: Bytes;
}

export interface VnfInstanceTable {
  id: string;
  tenant: string;
  name: string | null;
  description: string | null;
  vnfdId: string;
  packageId: string;
  provider: string;
  productName: string;
  softwareVersion: string;
  vnfdVersion: string;
  instantiationState: 'NOT_INSTANTIATED' | 'INSTANTIATED';
  metadata: JsonOptional<Free>;
  extensions: JsonOptional<Free>;
  vnfConfigurableProperties: JsonOptional<Free>;
  /** Without secrets; the secrets are sealed under `vnf/{id}/vimConnectionInfo`. */
  vimConnectionInfo: JsonOptional<Free>;
  instantiatedVnfInfo: JsonOptional<Free>;
  createdAt: Generated<Date>;
}

/** A request that was validated but is not yet accepted by the workflow. */
export interface LcmRequestTable {
  vnfLcmOpOccId: string;
  vnfInstanceId: string;
  tenant: string;
  operation: Operation;
  /** Without secrets; the whole is sealed under `operation/{id}/params`. */
  operationParams: Json<Free>;
  /** Name of the user who sent it. Null in rows of older releases. */
  startedBy: string | null;
  /** The span of the request, as the header `traceparent` has it. Null when the API makes no traces. */
  traceparent: string | null;
  createdAt: Generated<Date>;
}

export interface VnfLcmOpOccTable {
  id: string;
  vnfInstanceId: string;
  tenant: string;
  operation: Operation;
  operationState: OperationState;
  stateEnteredTime: Date;
  startTime: Date;
  grantId: string | null;
  isAutomaticInvocation: boolean;
  isCancelPending: boolean;
  /** Mode of the pending cancel. */
  cancelMode: CancelMode | null;
  operationParams: Json<Free>;
  /** Name of the user who started it. Null in rows of older releases. */
  startedBy: string | null;
  error: JsonOptional<Free>;
  resourceChanges: JsonOptional<Free>;
  /** What a MODIFY_INFO has changed, without secrets. */
  changedInfo: JsonOptional<Free>;
  /** Facts that activities of this operation found out for later ones: see `domain/operation-facts.ts`. */
  context: Json<Free>;
  /** Number of the newest record of the workflow. */
  recordSeq: Generated<number>;
  round: Generated<number>;
  /** Direction of the plan that is followed. Null before there is a plan. */
  planDirection: 'forward' | 'rollback' | null;
  /** Set while the workflow of the operation is gone, or cannot go on. */
  lost: JsonOptional<LostMark>;
  /** The build of vnflow whose worker began the workflow of the operation. Null in rows of older builds. */
  build: string | null;
}

/** The state and the error of an operation at the moment when its workflow was found gone. */
export interface LostMark {
  /** The state of the operation. */
  readonly in: OperationState;
  /** The problem of the operation. */
  readonly error: Free | null;
}

/** The plan of an operation in one direction. */
export interface OperationPlanTable {
  vnfLcmOpOccId: string;
  direction: 'forward' | 'rollback';
  plan: Json<unknown>;
}

export interface OperationStepTable {
  vnfLcmOpOccId: string;
  stepId: string;
  ordinal: number;
  kind: string;
  slot: string | null;
  after: Json<string[]>;
  state: 'WAITING' | 'PAUSED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'SKIPPED';
  summary: string;
  attempt: number;
  /** By Temporal's clock. Of two attempts, the one that was scheduled earlier may not write. */
  attemptScheduledAt: Date | null;
  startedAt: Date | null;
  endedAt: Date | null;
  logTail: string | null;
  /** What the running attempt says that it does or waits for. */
  progress: string | null;
  /** What an operator did to the step, and why. */
  note: string | null;
  error: JsonOptional<Free>;
  /** The build of vnflow whose worker ran the newest attempt. Null before the first, and in rows of older builds. */
  build: string | null;
}

/** A piece of the log of a step's attempt: whole lines, cleaned and without secrets. */
export interface OperationStepLogTable {
  vnfLcmOpOccId: string;
  stepId: string;
  attempt: number;
  /** 1, 2, 3, … in the order of the text. */
  seq: number;
  text: string;
}

export interface OperationEventTable {
  seq: Generated<string>;
  vnfLcmOpOccId: string;
  at: Generated<Date>;
  type: 'operation' | 'step';
  state: string;
  stepId: string | null;
  attempt: number | null;
  summary: string;
  text: string;
}

/** A request that wrote, or a login that was refused. */
export interface AuditEntryTable {
  /** An int8, therefore text when it is read. */
  seq: ColumnType<string, number, never>;
  at: Date;
  /** Name of the user; empty when the login was refused. */
  who: string;
  /** The Keystone project. Null when the login was refused. */
  project: string | null;
  /** Address from which the request came. */
  source: string;
  /** Method and route, for example `POST /vnflcm/v2/vnf_instances/:id/scale`. */
  action: string;
  /** Path as sent, without its query. */
  resource: string;
  /** HTTP status; 499 when the client went away before the answer. */
  status: number;
  /** Code of the problem (docs/errors.md). */
  code: string | null;
  requestId: string;
  /** The operation that the request started. */
  vnfLcmOpOccId: string | null;
  /** Over this entry and the hash of the one before it. */
  hash: string;
}

export interface SecretTable {
  /** For example `operation/{id}/params`. */
  name: string;
  /** The VNF instance, operation or VIM with which the secret is deleted. */
  owner: string;
  sealed: Bytes;
  /** Id of the master key that the row is sealed under. Null in rows of older builds. */
  keyId: string | null;
  createdAt: Generated<Date>;
}

/** A node of a cluster: a slot bound to a server. */
export interface ClusterNodeTable extends DiscoveredNode {
  vnfInstanceId: string;
}

export interface HostKeyTable {
  serverId: string;
  vnfInstanceId: string;
  keyType: string;
  fingerprint: string;
  source: 'console' | 'first-contact';
  seenAt: Generated<Date>;
}

/** A copy of etcd and the PKI of a cluster; the pieces are sealed. */
export interface ClusterBackupTable {
  id: string;
  vnfInstanceId: string;
  takenAt: Date;
  /** The control-plane node on which the backup was taken. */
  nodeName: string;
  /** `host:port` that the cluster's kubeconfigs use. */
  endpoint: string;
  /** Revision of etcd: an int64, therefore text. */
  revision: string;
  totalKeys: number;
  bytes: number;
  chunks: number;
}

export interface ClusterBackupChunkTable {
  backupId: string;
  seq: number;
  sealed: Bytes;
  /** Id of the master key that the row is sealed under. Null in rows of older builds. */
  keyId: string | null;
}

/** A piece of a copy of what a private registry has. */
export interface RegistryCopyPieceTable {
  vnfInstanceId: string;
  name: string;
  sealed: Bytes;
  /** Id of the master key that the row is sealed under. Null in rows of older builds. */
  keyId: string | null;
  writtenAt: Date;
}

export type VimType = 'openstack' | 'kubernetes';

export interface VimTable {
  id: string;
  tenant: string;
  name: string;
  description: string;
  type: VimType;
  /** Only of a VIM that is a cluster of vnflow: the instance with which the VIM is deleted. */
  vnfInstanceId: ColumnType<string | null, string | undefined, string | null>;
  authUrl: string;
  vimProject: Json<Free>;
  /** Without secrets; the whole is sealed under `vim/{id}`. */
  authCred: Json<Free>;
  extra: Json<Free>;
  isDefault: boolean;
  placementAttr: Json<Free>;
  createdAt: Generated<Date>;
  updatedAt: Date | null;
}

export interface StepDurationTable {
  kind: string;
  samples: number;
  meanSeconds: number;
}

/** One row. */
export interface StoreIdentityTable {
  id: string;
}

export interface Schema {
  vnfPackage: VnfPackageTable;
  vnfPackageContent: VnfPackageContentTable;
  vnfPackageFile: VnfPackageFileTable;
  vnfInstance: VnfInstanceTable;
  lcmRequest: LcmRequestTable;
  vnfLcmOpOcc: VnfLcmOpOccTable;
  operationPlan: OperationPlanTable;
  operationStep: OperationStepTable;
  operationStepLog: OperationStepLogTable;
  operationEvent: OperationEventTable;
  secret: SecretTable;
  clusterNode: ClusterNodeTable;
  hostKey: HostKeyTable;
  clusterBackup: ClusterBackupTable;
  clusterBackupChunk: ClusterBackupChunkTable;
  registryCopyPiece: RegistryCopyPieceTable;
  auditEntry: AuditEntryTable;
  vim: VimTable;
  stepDuration: StepDurationTable;
  storeIdentity: StoreIdentityTable;
}
