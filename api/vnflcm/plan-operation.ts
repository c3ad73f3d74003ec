import { LCM_OPERATIONS } from '../../domain/operations.ts';
import type { InstantiateVnfRequest } from '../../domain/sol-requests.ts';
import { VNF_KINDS } from '../../domain/vnf-kinds/index.ts';
import { makePlan, type OperationRequest, type Planned } from '../../planning/make-plan.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkVimName } from './check-vim-name.ts';
import { checkIdle, checkInstantiationState } from './lcm-operation.ts';
import { withVnfcIds } from './named-vnfcs.ts';
import { checkedModification } from './plan-modification.ts';
import { resolveVimConnections } from './resolve-vim.ts';
import { checkPackageUsable, type InstanceOfPackage } from './usable-package.ts';

/** An operation that may begin. */
export interface Admitted extends Planned {
  /** The request as it is kept: the VIM connections of an instantiation are complete. */
  readonly params: Record<string, unknown>;
}

/**
 * Plans an operation that may begin now. All checks of the request happen here, before anything is made. Nothing is
 * changed.
 * @param survey the survey of the VNF. Undefined: every node counts as alive
 * @throws VnflowError VNF_BUSY, VNF_INSTANTIATED, VNF_NOT_INSTANTIATED, VNFD_NOT_USABLE, and what `makePlan` throws
 */
export async function planOperation(
  context: ApiContext,
  instance: VnfInstanceRow,
  asked: OperationRequest,
  survey?: unknown,
): Promise<Admitted> {
  await checkIdle(context, instance.id);
  if (asked.operation === 'INSTANTIATE') {
    checkInstantiationState(instance, 'NOT_INSTANTIATED');
    return planNewInstance(context, instance, asked.request);
  }
  if (asked.operation === 'MODIFY_INFO') {
    const params = await checkedModification(context, instance, asked.request);
    return { ...(await makePlan(context, { ...asked, instance })), params };
  }
  checkInstantiationState(instance, 'INSTANTIATED');
  const named =
    asked.operation === 'HEAL' ? { ...asked, request: await withVnfcIds(context, instance, asked.request) } : asked;
  if (needsUsablePackage(named)) await checkPackageUsable(context, instance);
  return { ...(await makePlan(context, { ...named, instance, survey })), params: named.request };
}

/**
 * The part of `planOperation` that does not depend on the state of an instance.
 * @throws VnflowError VNFD_NOT_USABLE, VIM_NAME_TAKEN, VIM_MISSING, NOT_FOUND (vimId), and what `makePlan` throws
 */
export async function planNewInstance(
  context: ApiContext,
  instance: InstanceOfPackage,
  request: InstantiateVnfRequest,
): Promise<Admitted> {
  await checkPackageUsable(context, instance);
  const planned = await makePlan(context, { operation: 'INSTANTIATE', instance, request });
  await checkVimName(context, instance, planned.vnf?.vimName);
  const vimConnectionInfo = await resolveVimConnections(context, instance.tenant, request.vimConnectionInfo);
  return { ...planned, params: { ...request, vimConnectionInfo } };
}

function needsUsablePackage({ operation, request }: OperationRequest): boolean {
  const { usesPackage } = LCM_OPERATIONS[operation];
  if (usesPackage !== 'withParameters') return usesPackage === 'always';
  const given = 'additionalParams' in request ? Object.keys(request.additionalParams ?? {}) : [];
  return VNF_KINDS.some(({ parameters }) => parameters !== undefined && given.includes(parameters.key));
}
