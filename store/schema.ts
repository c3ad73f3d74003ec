import type { ColumnType, Generated } from 'kysely';
import type { CancelMode, Operation, OperationState } from '../domain/operation/state.ts';

/** A jsonb column: read as a value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>;
type JsonOptional<T> = ColumnType<T | null, string | null, string | null>;
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;
type Free = Record<string, unknown>;

export interface VnfPackageTable {
  id: string;
  tenant: string;
  onboarding_state: 'CREATED' | 'ONBOARDED';
  operational_state: 'ENABLED' | 'DISABLED';
  user_defined_data: Json<Free>;
  vnfd_id: string | null;
  provider: string | null;
  product_name: string | null;
  software_version: string | null;
  vnfd_version: string | null;
  checksum: JsonOptional<{ algorithm: string; hash: string }>;
  software_images: JsonOptional<Free[]>;
  additional_artifacts: JsonOptional<Free[]>;
  created_at: Generated<Date>;
}

/** The archive as uploaded, in pieces. */
export interface VnfPackageContentTable {
  package_id: string;
  seq: number;
  chunk: Bytes;
}

/** Files of an onboarded package that vnflow reads again: VNFD, HOT, scripts. */
export interface VnfPackageFileTable {
  package_id: string;
  path: string;
  content: Bytes;
}

export interface VnfInstanceTable {
  id: string;
  tenant: string;
  name: string | null;
  description: string | null;
  vnfd_id: string;
  package_id: string;
  provider: string;
  product_name: string;
  software_version: string;
  vnfd_version: string;
  instantiation_state: 'NOT_INSTANTIATED' | 'INSTANTIATED';
  metadata: JsonOptional<Free>;
  extensions: JsonOptional<Free>;
  vnf_configurable_properties: JsonOptional<Free>;
  /** Without secrets; the secrets are sealed under `vnf/{id}/vimConnectionInfo`. */
  vim_connection_info: JsonOptional<Free>;
  instantiated_vnf_info: JsonOptional<Free>;
  created_at: Generated<Date>;
}

/** A request that was validated but is not yet accepted by the workflow. */
export interface LcmRequestTable {
  vnf_lcm_op_occ_id: string;
  vnf_instance_id: string;
  tenant: string;
  operation: Operation;
  /** Without secrets; the whole is sealed under `operation/{id}/params`. */
  operation_params: Json<Free>;
  created_at: Generated<Date>;
}

export interface VnfLcmOpOccTable {
  id: string;
  vnf_instance_id: string;
  tenant: string;
  operation: Operation;
  operation_state: OperationState;
  state_entered_time: Date;
  start_time: Date;
  grant_id: string | null;
  is_automatic_invocation: boolean;
  is_cancel_pending: boolean;
  /** Of the cancel that is pending. */
  cancel_mode: CancelMode | null;
  operation_params: Json<Free>;
  error: JsonOptional<Free>;
  resource_changes: JsonOptional<Free>;
  /** What steps of this operation found out and later ones need, for example the stack. */
  context: Json<Free>;
  /** Number of the newest record of the workflow. */
  record_seq: Generated<number>;
  round: Generated<number>;
  /** Which plan is followed; null: none yet. */
  plan_direction: 'forward' | 'rollback' | null;
  /** Set while the workflow of the operation is gone. */
  lost: JsonOptional<LostMark>;
}

/** The workflow of an operation is gone. */
export interface LostMark {
  /** The state that the operation was in. */
  readonly in: OperationState;
  /** What its error said. */
  readonly error: Free | null;
}

/** The plan of a direction, as it was made. */
export interface OperationPlanTable {
  vnf_lcm_op_occ_id: string;
  direction: 'forward' | 'rollback';
  plan: Json<unknown>;
}

export interface OperationStepTable {
  vnf_lcm_op_occ_id: string;
  step_id: string;
  ordinal: number;
  kind: string;
  slot: string | null;
  after: Json<string[]>;
  state: 'WAITING' | 'PAUSED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'SKIPPED';
  summary: string;
  attempt: number;
  /** By Temporal's clock: the older of two attempts may not write. */
  attempt_scheduled_at: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
  log_tail: string | null;
  /** What an operator did to it, and why. */
  note: string | null;
  error: JsonOptional<Free>;
}

export interface OperationEventTable {
  seq: Generated<string>;
  vnf_lcm_op_occ_id: string;
  at: Generated<Date>;
  type: 'operation' | 'step';
  state: string;
  step_id: string | null;
  attempt: number | null;
  summary: string;
  text: string;
}

export interface SecretTable {
  /** For example `operation/{id}/params`. */
  name: string;
  /** The VNF instance or VIM that the secret goes away with. */
  owner: string;
  sealed: Bytes;
  created_at: Generated<Date>;
}

/** A node of a cluster: a slot bound to a server. */
export interface ClusterNodeTable {
  vnf_instance_id: string;
  slot: string;
  role: 'master' | 'worker';
  server_id: string;
  node_name: string;
  ssh_address: string;
  nic_address: string;
}

export interface HostKeyTable {
  server_id: string;
  vnf_instance_id: string;
  key_type: string;
  fingerprint: string;
  source: 'console' | 'first-contact';
  seen_at: Generated<Date>;
}

/** A copy of etcd and the PKI of a cluster; the pieces are sealed. */
export interface ClusterBackupTable {
  id: string;
  vnf_instance_id: string;
  taken_at: Date;
  /** The control-plane node that it was taken on. */
  node_name: string;
  /** `host:port` that the cluster's kubeconfigs use. */
  endpoint: string;
  /** etcd's revision: int64, so text. */
  revision: string;
  total_keys: number;
  bytes: number;
  chunks: number;
}

export interface ClusterBackupChunkTable {
  backup_id: string;
  seq: number;
  sealed: Bytes;
}

export type VimType = 'openstack' | 'kubernetes';

export interface VimTable {
  id: string;
  tenant: string;
  name: string;
  description: string;
  type: VimType;
  /** Only of a cluster's VIM: the instance that it goes away with. */
  vnf_instance_id: ColumnType<string | null, string | undefined, string | null>;
  auth_url: string;
  vim_project: Json<Free>;
  /** Without secrets; the whole is sealed under `vim/{id}`. */
  auth_cred: Json<Free>;
  extra: Json<Free>;
  is_default: boolean;
  placement_attr: Json<Free>;
  created_at: Generated<Date>;
  updated_at: Date | null;
}

export interface StepDurationTable {
  kind: string;
  samples: number;
  mean_seconds: number;
}

export interface Schema {
  vnf_package: VnfPackageTable;
  vnf_package_content: VnfPackageContentTable;
  vnf_package_file: VnfPackageFileTable;
  vnf_instance: VnfInstanceTable;
  lcm_request: LcmRequestTable;
  vnf_lcm_op_occ: VnfLcmOpOccTable;
  operation_plan: OperationPlanTable;
  operation_step: OperationStepTable;
  operation_event: OperationEventTable;
  secret: SecretTable;
  cluster_node: ClusterNodeTable;
  host_key: HostKeyTable;
  cluster_backup: ClusterBackupTable;
  cluster_backup_chunk: ClusterBackupChunkTable;
  vim: VimTable;
  step_duration: StepDurationTable;
}
