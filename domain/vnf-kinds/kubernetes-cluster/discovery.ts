import type { DiscoveredNode, DiscoveredResource, DiscoveredStack } from '../../discovered-stack.ts';
import { nodeName } from '../../node-name.ts';
import { VnflowError } from '../../problems.ts';
import { slotName } from '../../slot.ts';
import type { ClusterParameters } from './parameters.ts';
import type { ClusterContext } from './phase-environment.ts';

interface Discovery extends DiscoveredStack {
  readonly parameters: ClusterParameters;
}

const API_SERVER_PORT = 6443;
/** The port of HAProxy. It is not 6443, which the API server of the node uses on every address. */
const LOAD_BALANCER_PORT = 16443;

/**
 * Binds slots to servers and finds how to reach them, from what Heat and Neutron say.
 * @throws VnflowError RESOURCE_MISSING naming the resource and the parameter that names it
 */
export function discoverNodes(discovery: Discovery): DiscoveredNode[] {
  const { master_node, worker_node } = discovery.parameters;
  return [
    ...nodesOf(discovery, { role: 'master', key: 'master_node', ...master_node }),
    ...nodesOf(discovery, { role: 'worker', key: 'worker_node', ...worker_node }),
  ];
}

interface RoleParameters {
  readonly role: 'master' | 'worker';
  readonly key: string;
  readonly vdu_id: string;
  readonly ssh_cp_name: string;
  readonly nic_cp_name: string;
}

function nodesOf(
  discovery: Discovery,
  { role, key, vdu_id, ssh_cp_name, nic_cp_name }: RoleParameters,
): DiscoveredNode[] {
  const servers = discovery.resources.filter(({ name, type }) => name === vdu_id && type === 'OS::Nova::Server');
  const nodes = servers.map((server) => {
    const siblings = discovery.resources.filter(({ stackId }) => stackId === server.stackId);
    const nic = addressOf(discovery, siblings, {
      name: nic_cp_name,
      parameter: `${key}.nic_cp_name`,
      where: server.parent,
    });
    const ssh = addressOf(discovery, siblings, {
      name: ssh_cp_name,
      parameter: `${key}.ssh_cp_name`,
      where: server.parent,
    });
    if (nic.cidr === undefined)
      throw makeDiscoveryError(`${key}.nic_cp_name`, nic_cp_name, server.parent, 'is no port');
    return {
      slot: slotName(vdu_id, indexOf(server)),
      role,
      serverId: server.physicalId,
      nodeName: nodeName(role, nic.address, nic.cidr),
      sshAddress: ssh.address,
      nicAddress: nic.address,
    };
  });
  return nodes.sort((a, b) => a.slot.localeCompare(b.slot, 'en', { numeric: true }));
}

/**
 * @throws VnflowError RESOURCE_MISSING for a server that is neither in a nested stack `{vdu}-{index}` nor a member of a
 * group
 */
function indexOf({ name, index }: DiscoveredResource): number {
  if (index !== undefined) return index;
  throw new VnflowError('RESOURCE_MISSING', {
    detail: `Server ${name} is neither in a nested stack named ${name}-N nor a member of an OS::Heat::AutoScalingGroup, so its place in the cluster is not known: the HOT must suit its user data.`,
  });
}

interface Wanted {
  readonly name: string;
  readonly parameter: string;
  readonly where: string | undefined;
}

function addressOf(
  { addresses }: Discovery,
  resources: readonly DiscoveredResource[],
  { name, parameter, where }: Wanted,
): { address: string; cidr?: string } {
  const resource = resources.find((one) => one.name === name);
  if (!resource) throw makeDiscoveryError(parameter, name, where, 'does not exist');
  const port = addresses.ports.get(resource.physicalId);
  if (port) return port;
  const floating = addresses.floatingIps.get(resource.physicalId);
  if (floating !== undefined) return { address: floating };
  throw makeDiscoveryError(parameter, name, where, 'is neither a port nor a floating IP with an address');
}

function makeDiscoveryError(parameter: string, name: string, where: string | undefined, why: string): VnflowError {
  return new VnflowError('RESOURCE_MISSING', {
    detail: `${parameter}: resource ${name} ${where === undefined ? 'of the root stack' : `of ${where}`} ${why}.`,
  });
}

function nameNode({ nodeName, nicAddress }: DiscoveredNode): { name: string; address: string } {
  return { name: nodeName, address: nicAddress };
}

/**
 * Where the cluster's API is reached: the port (and floating IP) that the request names. With one control-plane node
 * that is its own port.
 * @throws VnflowError RESOURCE_MISSING
 */
export function discoverCluster(discovery: Discovery, nodes: readonly DiscoveredNode[]): ClusterContext {
  const { cluster_cp_name, cluster_fip_name, nic_cp_name } = discovery.parameters.master_node;
  const masters = nodes.filter(({ role }) => role === 'master');
  const [first] = masters;
  if (!first)
    throw makeDiscoveryError('master_node.vdu_id', discovery.parameters.master_node.vdu_id, undefined, 'has no server');
  const root = discovery.resources.filter(({ stackId }) => stackId === discovery.rootStackId);
  const own = cluster_cp_name === nic_cp_name;
  const endpointAddress = own
    ? first.nicAddress
    : addressOf(discovery, root, { name: cluster_cp_name, parameter: 'master_node.cluster_cp_name', where: undefined })
        .address;
  const floating =
    cluster_fip_name === undefined
      ? []
      : [
          addressOf(discovery, root, {
            name: cluster_fip_name,
            parameter: 'master_node.cluster_fip_name',
            where: undefined,
          }).address,
        ];
  // the API server of the only control-plane node answers at the floating IP that vnflow logs in to, too
  const ownFloating = own ? [...discovery.addresses.floatingIps.values()].filter((ip) => ip === first.sshAddress) : [];
  const [floatingIp] = [...floating, ...ownFloating];
  const sans = [
    endpointAddress,
    ...floating,
    ...masters.flatMap(({ nicAddress, sshAddress }) => [nicAddress, sshAddress]),
  ];
  return {
    endpoint: `${endpointAddress}:${own ? API_SERVER_PORT : LOAD_BALANCER_PORT}`,
    certSans: [...new Set(sans)],
    controlPlanes: masters.map(nameNode),
    nodes: nodes.map(nameNode),
    ...(own ? {} : { virtualIp: endpointAddress }),
    ...(floatingIp === undefined ? {} : { floatingIp }),
  };
}
