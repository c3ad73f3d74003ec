import type { DiscoveredAddresses, DiscoveredNode, DiscoveredResource } from '../../domain/discovered-stack.ts';
import { nodeLabel } from '../../domain/node-name.ts';
import type { OperationRef, StepResult } from '../../domain/operation/activity-contract.ts';
import type { OperationFacts } from '../../domain/operation-facts.ts';
import { listFloatingIps, listPorts, listSubnets } from '../../openstack/neutron.ts';
import { forgetOtherNodes, putClusterNodes } from '../../store/cluster-nodes.ts';
import type { Database } from '../../store/open-store.ts';
import { keepOperationFacts } from '../../store/operations.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { readInstantiatedInfo } from '../facts/instantiated-info.ts';
import { readVnf } from '../facts/plan-question.ts';
import { readOwnStack } from '../stack/find-stack.ts';
import { listPlacedResources, type PlacedStackResource } from '../stack/placed-resources.ts';
import { type StackContext, withStack } from '../stack/stack-context.ts';
import { refOf } from '../stack/stack-progress.ts';
import type { StepContextOf } from '../step-context.ts';

/** Binds slots to servers. It needs a handful of calls, whatever the number of nodes. */
export async function discover(step: StepContextOf<'discover'>): Promise<StepResult> {
  const context = await withStack(step);
  const { deps, vimConnectionId } = context;
  const found = await readOwnStack(context);
  const stack = refOf(found);
  const resources = await listPlacedResources(context, found);
  const described = {
    resources: resources.map(describeResource),
    addresses: await readAddresses(context, resources),
    rootStackId: stack.id,
  };
  const { nodes, facts: inside } = (await readVnf(context)).discover(described);
  const { parameters } = found;
  const instantiatedVnfInfo = await readInstantiatedInfo(context, {
    resources,
    stack,
    parameters,
    vimConnectionId,
    portAddresses: new Map([...described.addresses.ports].map(([id, { address }]) => [id, address])),
  });
  const facts = { ...inside, instantiatedVnfInfo };
  await writeAsAttempt(deps, ({ db }) => keepNodes(db, step.input, { nodes, facts }));
  return { labels: Object.fromEntries(nodes.map((node) => [node.slot, nodeLabel(node.nodeName, node.nicAddress)])) };
}

async function keepNodes(
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

function describeResource({ name, type, physicalId, stack, parent, place }: PlacedStackResource): DiscoveredResource {
  return { name, type, physicalId, stackId: stack.id, parent, index: place?.index };
}

async function readAddresses(
  { session, signal }: StackContext,
  resources: readonly PlacedStackResource[],
): Promise<DiscoveredAddresses> {
  const idsOf = (wanted: string) => resources.filter(({ type }) => type === wanted).map(({ physicalId }) => physicalId);
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
