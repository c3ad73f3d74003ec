import { VnflowError } from '../../problems.ts';
import { type Flavour, vduCount } from '../../vnfd.ts';
import type { ClusterParameters } from './parameters.ts';
import type { ClusterShape } from './plan-instantiate.ts';

/**
 * How many nodes of which VDU a flavour at a level has, and how its API is reached.
 * @param levelId undefined: the flavour's default level
 * @throws VnflowError as `vduCount` does; BAD_REQUEST for several control-plane nodes without a common address
 */
export function clusterShape(
  flavour: Flavour,
  levelId: string | undefined,
  { master_node, worker_node, vim_name }: ClusterParameters,
): ClusterShape {
  const shapeOf = (vduId: string) => ({ vduId, count: vduCount(flavour, vduId, levelId) });
  const shape = {
    controlPlane: shapeOf(master_node.vdu_id),
    workers: shapeOf(worker_node.vdu_id),
    loadBalanced: master_node.cluster_cp_name !== master_node.nic_cp_name,
    vimNamed: vim_name !== undefined,
  };
  const { count } = shape.controlPlane;
  if (count < 1) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams.k8s_cluster_installation_param.master_node.vdu_id: flavour "${flavour.id}" has no ${master_node.vdu_id} at this level; a cluster needs a control-plane node.`,
    });
  }
  if (count > 1 && !shape.loadBalanced) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams.k8s_cluster_installation_param.master_node.cluster_cp_name: ${count} control-plane nodes need a common address; name the port of the virtual IP, not ${master_node.nic_cp_name}.`,
    });
  }
  return shape;
}
