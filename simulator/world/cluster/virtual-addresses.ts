import { isUp } from '../nodes/node.ts';
import { activeState } from '../systemd/services.ts';
import type { SimNode, World } from '../world.ts';
import { type KeepalivedConfig, parseKeepalived } from './keepalived.ts';

/** Returns keepalived's configuration when keepalived, and haproxy if it is tracked, run on the machine. */
function speaksVrrp(node: SimNode): KeepalivedConfig | undefined {
  if (!isUp(node) || activeState(node, 'keepalived') !== 'active') return undefined;
  const text = node.state.units['keepalived']?.loaded ?? '';
  if (/pgrep\s+-x\s+haproxy/.test(text) && activeState(node, 'haproxy') !== 'active') return undefined;
  return parseKeepalived(text);
}

/** Returns the virtual addresses that the machine holds. */
export function virtualAddressesHeldBy(node: SimNode): readonly string[] {
  const config = speaksVrrp(node);
  return (config?.virtualAddresses ?? []).filter((address) => node.world.nodeAt(address) === node);
}

/**
 * Finds the machine that holds a virtual address. With `nopreempt` it stays with its holder while that one sends VRRP;
 * otherwise it goes to the highest priority.
 */
export function createVirtualAddresses(world: World): (address: string) => SimNode | undefined {
  const held = new Map<string, string>();
  return (address) => {
    const speakers = [...world.nodes.values()].flatMap((node) => {
      const config = speaksVrrp(node);
      return config?.virtualAddresses.includes(address) ? [{ node, config }] : [];
    });
    const owner = speakers.find(({ node }) => node.id === held.get(address));
    const best = speakers.toSorted((left, right) => right.config.priority - left.config.priority)[0];
    const chosen = owner ?? best;
    if (chosen) held.set(address, chosen.node.id);
    else held.delete(address);
    return chosen?.node;
  };
}
