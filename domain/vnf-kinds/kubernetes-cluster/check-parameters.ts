import { type NetworkSizes, unusableNetwork } from '../../ipv4-network.ts';
import { type ProxyParameters, proxyProblem } from '../../node-proxy.ts';
import { parseMember } from '../../parse-member.ts';
import { privateKeyProblem } from '../../private-key.ts';
import { VnflowError } from '../../problems.ts';
import type { PackageContents } from '../vnf-kind.ts';
import { checkConnections } from './check-registries.ts';
import { describeMissing, installContractOf, readsProxy } from './install-contract.ts';
import { checkInstallParameters, INSTALL_PARAMETERS } from './install-parameters.ts';
import { scriptText } from './install-scripts.ts';
import { CLUSTER_PARAMETERS, ClusterParameters, hasCredential, registriesOf } from './parameters.ts';
import { parametersByAspect } from './parameters-by-aspect.ts';
import { REGISTRY_CONNECTIONS } from './registry-connections.ts';

const MEMBER = `additionalParams.${CLUSTER_PARAMETERS.key}`;

/**
 * Reads `k8s_cluster_installation_param` and checks that everything it names is in the package, before any stack is
 * made.
 * @throws VnflowError BAD_REQUEST naming the member and what may stand there
 */
export function checkClusterParameters(given: unknown, contents: PackageContents): ClusterParameters {
  const parameters = parseMember(ClusterParameters, parametersByAspect(given, contents), MEMBER.split('.'));
  checkScript(parameters, contents);
  checkProxy(parameters.proxy);
  checkConnections(registriesOf(parameters), contents, `${MEMBER}.${REGISTRY_CONNECTIONS}`);
  for (const [member, sizes] of NETWORK_SIZES) checkInside(member, parameters.master_node[member], sizes);
  for (const role of ['master_node', 'worker_node'] as const) {
    const node = parameters[role];
    checkName(`${role}.vdu_id`, node.vdu_id, contents.vdus);
    const connectionPoints = connectionPointsOf(contents.resources(node.vdu_id));
    checkName(`${role}.ssh_cp_name`, node.ssh_cp_name, connectionPoints);
    checkName(`${role}.nic_cp_name`, node.nic_cp_name, connectionPoints);
    checkCredential(role, node);
  }
  const { vdu_id, cluster_cp_name, cluster_fip_name } = parameters.master_node;
  if (vdu_id === parameters.worker_node.vdu_id) {
    throw createMemberProblem('worker_node.vdu_id', 'must be another VDU than master_node.vdu_id');
  }
  const connectionPoints = connectionPointsOf(contents.resources(vdu_id));
  checkName('master_node.cluster_cp_name', cluster_cp_name, connectionPoints);
  if (cluster_fip_name !== undefined) checkName('master_node.cluster_fip_name', cluster_fip_name, connectionPoints);
  return parameters;
}

function checkScript(parameters: ClusterParameters, { files }: PackageContents): void {
  const { script_path: given, proxy, [INSTALL_PARAMETERS]: values = {} } = parameters;
  const text = scriptText(given, files);
  if (text === undefined) throw createMemberProblem('script_path', `the VNF package has no file ${given}`);
  const verdict = installContractOf(text);
  if ('missing' in verdict) throw createMemberProblem('script_path', describeMissing(given, verdict.missing));
  if ((proxy?.http_proxy || proxy?.https_proxy) && !readsProxy(text)) {
    throw createMemberProblem(
      'proxy',
      `the install script ${given} reads no http_proxy, so its nodes could not use a proxy`,
    );
  }
  checkInstallParameters(values, { at: `${MEMBER}.${INSTALL_PARAMETERS}`, script: { path: given, text } });
}

function checkProxy(proxy: ProxyParameters | undefined): void {
  const problem = proxy && proxyProblem(proxy);
  if (problem) throw createMemberProblem(`proxy.${problem.member}`, problem.sentence);
}

/**
 * The sizes that kubeadm takes, which it would say when the servers are there: each node has a /24 of the pods, and
 * services have at least ten addresses and at most 2^20 (kubeadm's validation of podSubnet and serviceSubnet).
 */
const NETWORK_SIZES = [
  ['pod_cidr', { largest: 8, smallest: 24 }],
  ['cluster_cidr', { largest: 12, smallest: 28 }],
] as const;

/** Checks a network of pods or services. */
function checkInside(member: string, cidr: string, sizes: NetworkSizes): void {
  const sentence = unusableNetwork(cidr, sizes);
  if (sentence !== undefined) throw createMemberProblem(`master_node.${member}`, sentence);
}

/** A key that cannot be read would fail when the servers are there. */
function checkCredential(
  role: string,
  login: Pick<ClusterParameters['worker_node'], 'password' | 'private_key'>,
): void {
  if (!hasCredential(login)) throw createMemberProblem(`${role}.password`, 'is missing; give password or private_key');
  const sentence = login.private_key === undefined ? undefined : privateKeyProblem(login.private_key);
  if (sentence !== undefined) throw createMemberProblem(`${role}.private_key`, sentence);
}

const CONNECTION_POINTS = /^OS::Neutron::(Port|FloatingIP|FloatingIPAssociation)$/;

function connectionPointsOf(resources: ReadonlyMap<string, string>): string[] {
  return [...resources].flatMap(([name, type]) => (CONNECTION_POINTS.test(type) ? [name] : []));
}

function checkName(member: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw createMemberProblem(member, `${name} is not in the VNF package; it has ${known.join(', ') || 'none'}`);
}

function createMemberProblem(member: string, sentence: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `${MEMBER}.${member}: ${sentence}.` });
}
