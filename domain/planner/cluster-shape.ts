import type { ClusterParameters } from '../cluster-parameters.ts';
import { type Flavour, vduCount } from '../vnfd.ts';
import type { ClusterShape } from './instantiate.ts';

/**
 * How many nodes of which VDU a flavour at a level has.
 * @param levelId undefined: the flavour's default level
 * @throws VnflowError as `vduCount` does, when the VNFD knows neither level nor VDU
 */
export function clusterShape(
  flavour: Flavour,
  levelId: string | undefined,
  { master_node, worker_node }: ClusterParameters,
): ClusterShape {
  const shapeOf = (vduId: string) => ({ vduId, count: vduCount(flavour, vduId, levelId) });
  return { controlPlane: shapeOf(master_node.vdu_id), workers: shapeOf(worker_node.vdu_id) };
}
