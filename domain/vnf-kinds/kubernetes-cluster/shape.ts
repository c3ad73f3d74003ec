import { VnflowError } from '../../problems.ts';
import { parseSlot } from '../../slot.ts';
import type { VnfFacts } from '../vnf-kind.ts';
import { type ClusterParameters, registriesOf } from './parameters.ts';

/** How many nodes of which VDU a cluster has, and how its API is reached. */
export interface ClusterShape {
  readonly controlPlane: { readonly vduId: string; readonly count: number };
  readonly workers: {
    readonly vduId: string;
    readonly count: number;
    /** Slots of the nodes that exist. Undefined when they are the first `count` slots. */
    readonly slots?: readonly string[];
  };
  /** Does the package keep the workers on different compute hosts? */
  readonly workersApart?: boolean;
  /** Is the API reached through a virtual address and HAProxy on the control-plane nodes? */
  readonly loadBalanced: boolean;
  /** Do the nodes pull images from private registries? */
  readonly usesRegistries?: boolean;
  /** Is the cluster a VIM, or does the instantiate request name one (`vim_name`) that it becomes? */
  readonly vimNamed?: boolean;
}

/** @param facts servers per VDU, and their slots when the servers exist */
export function clusterShape(
  parameters: ClusterParameters,
  { counts, isVim, slots, separatedVdus }: Pick<VnfFacts, 'counts' | 'isVim' | 'slots' | 'separatedVdus'>,
): ClusterShape {
  const { master_node, worker_node } = parameters;
  const shapeOf = (vduId: string) => ({ vduId, count: counts[vduId] ?? 0 });
  return {
    controlPlane: shapeOf(master_node.vdu_id),
    workers: { ...shapeOf(worker_node.vdu_id), ...(slots ? { slots: slots.filter(isOf(worker_node.vdu_id)) } : {}) },
    workersApart: separatedVdus.includes(worker_node.vdu_id),
    loadBalanced: master_node.cluster_cp_name !== master_node.nic_cp_name,
    ...(registriesOf(parameters).length > 0 ? { usesRegistries: true } : {}),
    vimNamed: isVim,
  };
}

const isOf = (vduId: string) => (slot: string) => parseSlot(slot).vduId === vduId;

/**
 * Can a cluster of this shape be made?
 * @param flavourId for the message
 * @throws VnflowError BAD_REQUEST when there is no control-plane node, or several have no common
 * address
 */
export function checkNewCluster(
  { controlPlane: { count, vduId }, loadBalanced }: ClusterShape,
  { master_node }: ClusterParameters,
  flavourId: string,
): void {
  if (count < 1) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams.k8s_cluster_installation_param.master_node.vdu_id: flavour "${flavourId}" has no ${vduId} at this level; a cluster needs a control-plane node.`,
    });
  }
  if (count > 1 && !loadBalanced) {
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams.k8s_cluster_installation_param.master_node.cluster_cp_name: ${count} control-plane nodes need a common address; name the port of the virtual IP, not ${master_node.nic_cp_name}.`,
    });
  }
}
