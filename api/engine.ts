import type { AccessRequest, LookRequest } from '../domain/operation/activity-contract.ts';
import type { OperatorAction } from '../domain/operation/operator-actions.ts';
import type { Operation } from '../domain/operations.ts';
import type { ClusterLook } from '../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';

/** The functions of the workflow engine that the API uses. It reads everything else from the store. */
export interface LcmEngine {
  /**
   * Starts an operation; resolves when its request is in the history of its workflow.
   * @throws VnflowError VNF_BUSY (another operation runs), ENGINE_UNAVAILABLE (no worker or no Temporal server)
   */
  start(request: { operation: Operation; vnfInstanceId: string; vnfLcmOpOccId: string; tenant: string }): Promise<void>;
  /**
   * An action of an operator; resolves when it is in the store.
   * @throws VnflowError OPERATION_STATE, STEP_STATE, ROLLBACK_NOT_SUPPORTED, NOT_FOUND (no such step),
   * ENGINE_UNAVAILABLE
   */
  control(action: OperatorAction, operation: { vnfInstanceId: string; vnfLcmOpOccId: string }): Promise<void>;
  /**
   * Compares an open operation with its workflow. One whose workflow is gone is shown as FAILED_TEMP afterwards.
   * @throws VnflowError ENGINE_UNAVAILABLE
   */
  settle(vnfLcmOpOccId: string): Promise<void>;
  /**
   * Removes what a failed instantiate left in the store, before its instance is deleted. The VIM must have no stack of
   * the instance.
   * @throws VnflowError VNF_LEFTOVERS, errors of the VIM, ENGINE_UNAVAILABLE
   */
  clear(vnfInstanceId: string): Promise<void>;
  /**
   * Asks a running cluster for its present state, for a plan. Changes nothing.
   * @throws VnflowError errors of the VIM and of the nodes, ENGINE_UNAVAILABLE
   */
  look(request: LookRequest): Promise<ClusterLook>;
  /**
   * Has a cluster make a credential for a user; it is in the store afterwards, sealed.
   * @throws VnflowError errors of the nodes, ENGINE_UNAVAILABLE
   */
  makeKubeconfig(request: AccessRequest): Promise<void>;
}
