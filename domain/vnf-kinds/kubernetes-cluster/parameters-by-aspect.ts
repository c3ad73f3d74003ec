import { VnflowError } from '../../problems.ts';
import type { PackageContents } from '../vnf-kind.ts';
import { CLUSTER_PARAMETERS } from './parameters.ts';

/** Tacker's default in version 1 of the API; version 2 has another. */
const POD_CIDR = '192.168.0.0/16';

type Free = Readonly<Record<string, unknown>>;

/**
 * Parameters as requests of version 1 of the API have them, in the form of version 2: `aspect_id` names a scaling
 * aspect where version 2 names its VDU, pods have another default network, and a cluster becomes a VIM even without
 * `vim_name`.
 * @param given as in the request; what has no `aspect_id` is returned as it is
 * @throws VnflowError BAD_REQUEST naming the member and the aspects of the flavour
 */
export function parametersByAspect(given: unknown, { aspects, vnfInstanceId }: PackageContents): unknown {
  if (!isFree(given) || ![given['master_node'], given['worker_node']].some(namesAspect)) return given;
  const node = (role: string): Free => {
    const parameters = given[role];
    if (!namesAspect(parameters)) return { [role]: parameters };
    const { aspect_id, ...others } = parameters;
    return { [role]: { vdu_id: vduOf(role, aspect_id, aspects), ...others } };
  };
  const { master_node: master } = node('master_node');
  return {
    vim_name: `kubernetes_vim_${vnfInstanceId}`,
    ...given,
    master_node: isFree(master) ? { pod_cidr: POD_CIDR, ...master } : master,
    ...node('worker_node'),
  };
}

function isFree(value: unknown): value is Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesAspect(node: unknown): node is Free {
  return isFree(node) && node['aspect_id'] !== undefined;
}

function vduOf(role: string, aspect: unknown, aspects: PackageContents['aspects']): string {
  const [vdu, ...others] = typeof aspect === 'string' && Object.hasOwn(aspects, aspect) ? (aspects[aspect] ?? []) : [];
  if (vdu !== undefined && others.length === 0) return vdu;
  const usable = Object.keys(aspects).filter((id) => aspects[id]?.length === 1);
  throw new VnflowError('BAD_REQUEST', {
    detail: `additionalParams.${CLUSTER_PARAMETERS.key}.${role}.aspect_id: ${String(aspect).slice(0, 255)} is no scaling aspect of one VDU; the flavour has ${usable.join(', ') || 'none'}.`,
  });
}
