import type { DiscoveredAddresses, DiscoveredNode, DiscoveredResource } from '../../domain/discovered-stack.ts';
import { nodeLabel } from '../../domain/node-name.ts';
import type { OperationRef, StepResult } from '../../domain/operation/activity-contract.ts';
import type { OperationFacts } from '../../domain/operation-facts.ts';
import { listResources, type StackResource } from '../../openstack/heat.ts';
import { listFloatingIps, listPorts, listSubnets } from '../../openstack/neutron.ts';
import type { Session } from '../../openstack/session.ts';
import { forgetOtherNodes, putClusterNodes } from '../../store/cluster-nodes.ts';
import type { Database } from '../../store/open-store.ts';
import { keepOperationFacts } from '../../store/operations.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { instantiatedInfo } from '../facts/instantiated-info.ts';
import { vimConnectionOf } from '../facts/operation-facts.ts';
import { vnfOfOperation } from '../facts/plan-question.ts';
import { type Placed, placedResources } from '../stack/placed-resources.ts';
import { refOf } from '../stack/stack-progress.ts';
import { stackOfInstance } from '../stack/stack-step.ts';
import { vimSession } from '../stack/vim-session.ts';
import type { StepContextOf } from '../step-context.ts';

/** Binds slots to servers. A handful of calls, whatever the number of nodes. */
export async function discover({ deps, input, ...beat }: StepContextOf<'discover'>): Promise<StepResult> {
  const connection = await vimConnectionOf(deps, input);
  const session = vimSession(connection);
  const found = await stackOfInstance(session, input.vnfInstanceId, beat.signal);
  const stack = refOf(found);
  const resources = await listResources(session, stack, { nestedDepth: 2, signal: beat.signal });
  const placed = await placedResources(deps, input, resources);
  const described = {
    resources: placed.map(discovered),
    addresses: await addressesOf(session, resources, beat),
    rootStackId: stack.id,
  };
  const { nodes, facts: inside } = (await vnfOfOperation(deps, input)).discover(described);
  const instantiatedVnfInfo = await instantiatedInfo(deps, input, {
    resources: placed,
    stack,
    parameters: found.parameters,
    vimConnectionId: connection.id,
  });
  const facts = { ...inside, instantiatedVnfInfo };
  await writeAsAttempt(deps, ({ db }) => keep(db, input, { nodes, facts }));
  return { labels: Object.fromEntries(nodes.map((node) => [node.slot, nodeLabel(node.nodeName, node.nicAddress)])) };
}

async function keep(
  db: Database,
  { vnfInstanceId, vnfLcmOpOccId }: OperationRef,
  { nodes, facts }: { nodes: readonly DiscoveredNode[]; facts: OperationFacts },
): Promise<void> {
  await putClusterNodes(
    db,
    nodes.map((node) => ({ vnfInstanceId, ...node })),
  );
  const servers = nodes.map(({ serverId }) => serverId);
  await forgetOtherNodes(db, vnfInstanceId, servers);
  await keepOperationFacts(db, vnfLcmOpOccId, facts);
}

function discovered({ name, type, physicalId, stack, parent, place }: Placed): DiscoveredResource {
  return { name, type, physicalId, stackId: stack.id, parent, index: place?.index };
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
