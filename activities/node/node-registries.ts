import { VnflowError } from '../../domain/problems.ts';
import { ClusterParameters, registriesOf } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import type { NodeRegistry } from '../../domain/vnf-kinds/kubernetes-cluster/registry-files.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readPackageFile } from '../facts/package-file.ts';

/**
 * The private registries in the parameters of a cluster, with the certificates of the package.
 * @throws VnflowError RESOURCE_MISSING
 */
export async function readRegistries(context: ActivityContext, parameters: unknown): Promise<NodeRegistry[]> {
  const registries: NodeRegistry[] = [];
  for (const connection of registriesOf(ClusterParameters.parse(parameters))) {
    const given = connection.certificate_path;
    const authority = given === undefined ? undefined : await readPackageFile(context, given);
    if (given !== undefined && authority === undefined) {
      throw new VnflowError('RESOURCE_MISSING', { detail: `The VNF package has no file ${given} (certificate_path).` });
    }
    registries.push({ ...connection, authority: authority?.toString('utf8') ?? connection.certificate });
  }
  return registries;
}
