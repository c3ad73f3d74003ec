import type { DiscoveredNode, DiscoveredStack } from '../../discovered-stack.ts';
import { slotName } from '../../slot.ts';

const SERVER = 'OS::Nova::Server';

/**
 * Binds slots to servers. StandardUserData names the nested stack of a VNFC `{vdu}-{index}`; people know the server by that name
 * and by the address of its first port.
 */
export function discoverServers({ resources, addresses }: DiscoveredStack): DiscoveredNode[] {
  return resources
    .filter(({ type, name, parent }) => type === SERVER && parent?.replace(/-\d+$/, '') === name)
    .map(({ name: vduId, parent = '', physicalId: serverId, stackId }) => {
      const siblings = resources.filter((other) => other.stackId === stackId);
      const address = siblings.map((other) => addresses.ports.get(other.physicalId)?.address).find(Boolean) ?? '';
      return {
        slot: slotName(vduId, Number(/\d+$/.exec(parent)?.[0])),
        role: vduId,
        serverId,
        nodeName: parent,
        sshAddress: address,
        nicAddress: address,
      };
    })
    .sort((a, b) => a.slot.localeCompare(b.slot, 'en', { numeric: true }));
}
