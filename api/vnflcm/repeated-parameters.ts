import { hotResources } from '../../domain/standard-user-data.ts';
import { DrainTimeout } from '../../domain/vnf-kinds/kubernetes-cluster/drain-timeout.ts';
import type { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { flavour } from '../../domain/vnfd.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { parseMember } from '../http/json-body.ts';
import { checkClusterParameters } from './check-cluster-parameters.ts';
import { checkUserData } from './check-user-data.ts';
import { packageOfInstance, textsUnder } from './package-of-instance.ts';

const CLUSTER_PARAMETERS = 'k8s_cluster_installation_param';

/**
 * Tacker's clients repeat the cluster's parameters with each operation; without them those of instantiate hold.
 * @returns undefined when they are not repeated
 * @throws VnflowError BAD_REQUEST naming the member, VNFD_NOT_USABLE
 */
export async function repeatedParameters(
  context: ApiContext,
  instance: VnfInstanceRow,
  additionalParams: Readonly<Record<string, unknown>> = {},
): Promise<ClusterParameters | undefined> {
  if ('lcm-operation-user-data' in additionalParams || 'lcm-operation-user-data-class' in additionalParams) {
    checkUserData(additionalParams);
  }
  parseMember(DrainTimeout, additionalParams['drain_timeout'], ['additionalParams', 'drain_timeout']);
  if (!(CLUSTER_PARAMETERS in additionalParams)) return undefined;
  const { vnfd, files } = await packageOfInstance(context, instance);
  const chosen = flavour(vnfd, String(instance.instantiatedVnfInfo?.['flavourId']));
  return checkClusterParameters(additionalParams, {
    vdus: chosen.vdus.map(({ id }) => id),
    resources: (vduId) => hotResources(textsUnder(files, `BaseHOT/${chosen.id}/`), vduId),
    files,
  });
}
