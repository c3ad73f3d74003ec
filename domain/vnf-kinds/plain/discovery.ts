import type { DiscoveredNode, DiscoveredStack } from '../../discovered-stack.ts';
import { slotName } from '../../slot.ts';

const SERVER = 'OS::Nova::Server';

/**
 * Binds slots to servers. The name of a server for people is `{vdu}-{index}`, which is also the name that
 * StandardUserData gives its nested stack, and its label has the address of its first port.
 */
export function discoverServers({ resources, addresses }: DiscoveredStack): DiscoveredNode[] {
  return resources
    .flatMap((resource) => (resource.type === SERVER && resource.index !== undefined ? [{ ...resource }] : []))
    .map(({ name: vduId, index = 0, physicalId: serverId, stackId }) => {
      const siblings = resources.filter((other) => other.stackId === stackId);
      const address = siblings.map((other) => addresses.ports.get(other.physicalId)?.address).find(Boolean) ?? '';
      return {
        slot: slotName(vduId, index),
        role: vduId,
        serverId,
        nodeName: `${vduId}-${index}`,
        sshAddress: address,
        nicAddress: address,
      };
    })
    .sort((a, b) => a.slot.localeCompare(b.slot, 'en', { numeric: true }));
}
