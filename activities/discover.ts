import type { StepActivities } from '../domain/activity-contract.ts';
import {
  type DiscoveredAddresses,
  type DiscoveredNode,
  type DiscoveredResource,
  discoverCluster,
  discoverNodes,
} from '../domain/cluster-discovery.ts';
import { VnflowError } from '../domain/problems.ts';
import { listResources, type StackRef, type StackResource, showStack, stackOf } from '../openstack/heat.ts';
import { listFloatingIps, listPorts, listSubnets } from '../openstack/neutron.ts';
import type { Session } from '../openstack/session.ts';
import { putClusterNodes } from '../store/cluster-nodes.ts';
import { mergeOperationContext } from '../store/operations.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { instantiatedInfo } from './instantiated-info.ts';
import { clusterParametersOf, instantiateRequestOf, operationOf, vimConnectionOf } from './operation-facts.ts';
import { vimSession } from './vim-session.ts';

/** Binds slots to servers. A handful of calls, whatever the number of nodes. */
export function createDiscoverActivity(deps: ActivityDependencies): Pick<StepActivities, 'discover'> {
  return {
    discover: (input) =>
      heartbeating(async (beat) => {
        const connection = await vimConnectionOf(deps, input);
        const session = vimSession(connection);
        const stack = await appliedStack(deps, input.vnfLcmOpOccId, input.vnfInstanceId);
        const resources = await listResources(session, stack, { nestedDepth: 2, signal: beat.signal });
        const discovery = {
          resources: resources.map(discovered),
          addresses: await addressesOf(session, resources, beat),
          parameters: clusterParametersOf(await instantiateRequestOf(deps, input)),
          rootStackId: stack.id,
        };
        const nodes = discoverNodes(discovery);
        await putClusterNodes(
          deps.db,
          nodes.map((node) => rowOf(input.vnfInstanceId, node)),
        );
        const { parameters } = await showStack(session, stack, { signal: beat.signal });
        await mergeOperationContext(deps.db, input.vnfLcmOpOccId, {
          cluster: discoverCluster(discovery, nodes),
          instantiatedVnfInfo: await instantiatedInfo(deps, input, {
            resources,
            stack,
            parameters,
            vimConnectionId: connection.id,
          }),
        });
        return {
          labels: Object.fromEntries(nodes.map((node) => [node.slot, `${node.nodeName} (${node.nicAddress})`])),
        };
      }),
  };
}

async function appliedStack(
  deps: ActivityDependencies,
  vnfLcmOpOccId: string,
  vnfInstanceId: string,
): Promise<StackRef> {
  const { context } = await operationOf(deps, { vnfLcmOpOccId, vnfInstanceId });
  const stack = context['stack'] as StackRef | undefined;
  if (!stack) throw new VnflowError('INTERNAL', { detail: `Operation ${vnfLcmOpOccId} has applied no stack yet.` });
  return stack;
}

function discovered(resource: StackResource): DiscoveredResource {
  return {
    name: resource.resource_name,
    type: resource.resource_type,
    physicalId: resource.physical_resource_id,
    stackId: stackOf(resource).id,
    parent: resource.parent_resource ?? undefined,
  };
}

async function addressesOf(
  session: Session,
  resources: readonly StackResource[],
  { signal }: Beat,
): Promise<DiscoveredAddresses> {
  const idsOf = (type: string) =>
    resources
      .filter(({ resource_type }) => resource_type === type)
      .map(({ physical_resource_id }) => physical_resource_id);
  const [ports, floatingIps] = await Promise.all([
    listPorts(session, { ids: idsOf('OS::Neutron::Port'), signal }),
    listFloatingIps(session, { ids: idsOf('OS::Neutron::FloatingIP'), signal }),
  ]);
  const subnetIds = new Set(ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => subnet_id)));
  const subnets = new Map(
    (await listSubnets(session, { ids: [...subnetIds], signal })).map(({ id, cidr }) => [id, cidr]),
  );
  return {
    ports: new Map(
      ports.flatMap(({ id, fixed_ips: [first] }) => {
        const cidr = first && subnets.get(first.subnet_id);
        return first && cidr ? [[id, { address: first.ip_address, cidr }] as const] : [];
      }),
    ),
    floatingIps: new Map(floatingIps.map(({ id, floating_ip_address }) => [id, floating_ip_address])),
  };
}

function rowOf(vnfInstanceId: string, node: DiscoveredNode) {
  return {
    vnf_instance_id: vnfInstanceId,
    slot: node.slot,
    role: node.role,
    server_id: node.serverId,
    node_name: node.nodeName,
    ssh_address: node.sshAddress,
    nic_address: node.nicAddress,
  };
}
