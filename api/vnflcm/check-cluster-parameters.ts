import path from 'node:path';
import { VnflowError } from '../../domain/problems.ts';
import { ClusterParameters, hasCredential } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { parseMember } from '../http/json-body.ts';

const MEMBER = 'additionalParams.k8s_cluster_installation_param';

/** What a package offers that the parameters may name. */
export interface Nameable {
  readonly vdus: readonly string[];
  /** Resources of the top HOT and of a VDU's nested one: name → Heat type. */
  readonly resources: (vduId: string) => ReadonlyMap<string, string>;
  readonly files: { has(path: string): boolean };
}

/**
 * Reads `k8s_cluster_installation_param` and checks that everything it names is in the package, before any stack is made.
 * @throws VnflowError BAD_REQUEST naming the member and what may stand there
 */
export function checkClusterParameters(additionalParams: unknown, nameable: Nameable): ClusterParameters {
  const given = (additionalParams as Record<string, unknown> | undefined)?.['k8s_cluster_installation_param'];
  const parameters = parseMember(ClusterParameters, given, MEMBER.split('.'));
  checkScriptPath(parameters.script_path, nameable);
  for (const role of ['master_node', 'worker_node'] as const) {
    const node = parameters[role];
    checkName(`${role}.vdu_id`, node.vdu_id, nameable.vdus);
    const connectionPoints = connectionPointsOf(nameable.resources(node.vdu_id));
    checkName(`${role}.ssh_cp_name`, node.ssh_cp_name, connectionPoints);
    checkName(`${role}.nic_cp_name`, node.nic_cp_name, connectionPoints);
    if (!hasCredential(node)) throw wrong(`${role}.password`, 'is missing; give password or private_key');
  }
  const { vdu_id, cluster_cp_name, cluster_fip_name } = parameters.master_node;
  if (vdu_id === parameters.worker_node.vdu_id) {
    throw wrong('worker_node.vdu_id', 'must be another VDU than master_node.vdu_id');
  }
  const connectionPoints = connectionPointsOf(nameable.resources(vdu_id));
  checkName('master_node.cluster_cp_name', cluster_cp_name, connectionPoints);
  if (cluster_fip_name !== undefined) checkName('master_node.cluster_fip_name', cluster_fip_name, connectionPoints);
  return parameters;
}

function checkScriptPath(scriptPath: string, { files }: Nameable): void {
  if (files.has(path.posix.normalize(scriptPath))) return;
  throw wrong('script_path', `the VNF package has no file ${scriptPath}`);
}

const CONNECTION_POINTS = /^OS::Neutron::(Port|FloatingIP|FloatingIPAssociation)$/;

function connectionPointsOf(resources: ReadonlyMap<string, string>): string[] {
  return [...resources].flatMap(([name, type]) => (CONNECTION_POINTS.test(type) ? [name] : []));
}

function checkName(member: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw wrong(member, `${name} is not in the VNF package; it has ${known.join(', ') || 'none'}`);
}

function wrong(member: string, sentence: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `${MEMBER}.${member}: ${sentence}.` });
}
