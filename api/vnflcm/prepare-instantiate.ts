import type { InstantiateVnfRequest } from '../../domain/sol-requests.ts';
import { hotResources } from '../../domain/standard-user-data.ts';
import type { ClusterShape } from '../../domain/vnf-kinds/kubernetes-cluster/plan-instantiate.ts';
import { clusterShape } from '../../domain/vnf-kinds/kubernetes-cluster/shape.ts';
import { flavour } from '../../domain/vnfd.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { checkClusterParameters } from './check-cluster-parameters.ts';
import { checkUserData } from './check-user-data.ts';
import { checkVimName } from './check-vim-name.ts';
import { checkIdle, checkInstantiationState } from './lcm-operation.ts';
import { type InstanceOfPackage, packageOfInstance, textsUnder } from './package-of-instance.ts';
import { resolveVimConnections } from './resolve-vim.ts';

export interface PreparedInstantiate {
  /** The request with its VIM connections resolved, secrets included. */
  readonly params: InstantiateVnfRequest;
  readonly shape: ClusterShape;
  readonly scriptPath: string;
}

/** Everything that can be known to be wrong before anything is made. Changes nothing. @throws VnflowError */
export async function prepareInstantiate(
  context: ApiContext,
  instance: VnfInstanceRow,
  request: InstantiateVnfRequest,
): Promise<PreparedInstantiate> {
  await checkIdle(context, instance.id);
  checkInstantiationState(instance, 'NOT_INSTANTIATED');
  return checkInstantiate(context, instance, request);
}

/** The part of it that the state of an instance has no say in. */
export async function checkInstantiate(
  context: ApiContext,
  instance: InstanceOfPackage,
  request: InstantiateVnfRequest,
): Promise<PreparedInstantiate> {
  const { vnfd, files } = await packageOfInstance(context, instance);
  const chosen = flavour(vnfd, request.flavourId);
  checkUserData(request.additionalParams);
  const hots = textsUnder(files, `BaseHOT/${request.flavourId}/`);
  const cluster = checkClusterParameters(request.additionalParams, {
    vdus: chosen.vdus.map(({ id }) => id),
    resources: (vduId) => hotResources(hots, vduId),
    files,
  });
  const shape = clusterShape(chosen, request.instantiationLevelId, cluster);
  await checkVimName(context, instance, cluster.vim_name);
  const vimConnectionInfo = await resolveVimConnections(context, instance.tenant, request.vimConnectionInfo);
  return { params: { ...request, vimConnectionInfo }, shape, scriptPath: cluster.script_path };
}
