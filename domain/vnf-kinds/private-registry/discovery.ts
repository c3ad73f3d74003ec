import type { DiscoveredNode, DiscoveredStack } from '../../discovered-stack.ts';
import { nodeName } from '../../node-name.ts';
import { VnflowError } from '../../problems.ts';
import { slotName } from '../../slot.ts';
import { REGISTRY_PARAMETERS, type RegistryParameters } from './parameters.ts';

const SERVER = 'OS::Nova::Server';
const ROLE = 'registry';

/**
 * Binds the slot of the registry to its server. Clients use the address of the server's port; vnflow logs in through
 * the resource that `ssh_cp_name` names, which may be a floating IP.
 * @throws VnflowError RESOURCE_MISSING naming the resource and the parameter that names it
 */
export function discoverRegistry(
  { resources, addresses }: DiscoveredStack,
  { ssh_cp_name }: Pick<RegistryParameters, 'ssh_cp_name'>,
): DiscoveredNode[] {
  return resources.flatMap((server) => {
    if (server.type !== SERVER || server.index === undefined) return [];
    const siblings = resources.filter(({ stackId }) => stackId === server.stackId);
    const named = siblings.find(({ name }) => name === ssh_cp_name);
    if (!named) throw missing(ssh_cp_name, 'does not exist beside the server');
    const port =
      addresses.ports.get(named.physicalId) ??
      siblings.map(({ physicalId }) => addresses.ports.get(physicalId)).find(Boolean);
    const sshAddress = addresses.floatingIps.get(named.physicalId) ?? addresses.ports.get(named.physicalId)?.address;
    if (!port || sshAddress === undefined) {
      throw missing(ssh_cp_name, 'is neither a port nor a floating IP with an address');
    }
    return [
      {
        slot: slotName(server.name, server.index),
        role: ROLE,
        serverId: server.physicalId,
        nodeName: nodeName(ROLE, port.address, port.cidr),
        sshAddress,
        nicAddress: port.address,
      },
    ];
  });
}

/** Every address under which clients may know the registry: of the ports beside its server, and floating ones. */
export function addressesOfRegistry({ resources, addresses }: DiscoveredStack): string[] {
  const found = resources.flatMap(({ physicalId }) => [
    addresses.ports.get(physicalId)?.address ?? [],
    addresses.floatingIps.get(physicalId) ?? [],
  ]);
  return [...new Set(found.flat())];
}

function missing(name: string, why: string): VnflowError {
  return new VnflowError('RESOURCE_MISSING', {
    detail: `${REGISTRY_PARAMETERS.key}.ssh_cp_name: resource ${name} of the stack ${why}.`,
  });
}
