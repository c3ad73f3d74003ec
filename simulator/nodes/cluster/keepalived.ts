import { isUp, type SimNode } from '../node.ts';
import { activeState } from '../systemd/services.ts';
import type { World } from '../world.ts';

export interface KeepalivedConfig {
  readonly priority: number;
  readonly routerId: number;
  readonly state: string;
  readonly virtualAddresses: readonly string[];
  readonly peers: readonly string[];
  readonly password: string;
}

const CONFIG = '/etc/keepalived/keepalived.conf';

/** Reads what matters; keepalived itself ignores further words on a line. */
function parseKeepalived(text: string): KeepalivedConfig {
  const value = (keyword: string) => new RegExp(`^\\s*${keyword}\\s+(\\S+)`, 'm').exec(text)?.[1] ?? '';
  const block = (keyword: string) =>
    (new RegExp(`${keyword}\\s*\\{([^}]*)\\}`).exec(text)?.[1] ?? '')
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[0] ?? '')
      .filter(Boolean);
  return {
    priority: Number(value('priority') || '100'),
    routerId: Number(value('virtual_router_id')),
    state: value('state'),
    virtualAddresses: block('virtual_ipaddress').map((address) => address.split('/')[0] ?? ''),
    peers: block('unicast_peer'),
    password: value('auth_pass'),
  };
}

/** `keepalived -t`: 0 good, 5 complaints, 6 script security. */
export function checkKeepalived(text: string): { readonly exitCode: 0 | 5 | 6; readonly messages: readonly string[] } {
  const config = parseKeepalived(text);
  const messages: string[] = [];
  if (config.routerId < 1 || config.routerId > 255)
    messages.push(`VRID '${config.routerId}' not valid - must be between 1 & 255`);
  if (config.state === 'MASTER' && /^\s*nopreempt/m.test(text)) {
    messages.push('nopreempt will not work with initial state MASTER - clearing');
  }
  if (config.password.length > 8) messages.push('Truncating auth_pass to 8 characters');
  if (messages.length > 0) return { exitCode: 5, messages };
  if (/^\s*script\s/m.test(text) && !text.includes('enable_script_security')) {
    return {
      exitCode: 6,
      messages: ['SECURITY VIOLATION - scripts are being executed but script_security not enabled.'],
    };
  }
  return { exitCode: 0, messages };
}

/** Why keepalived does not start with the configuration that lies on the machine. */
export function keepalivedProblem(node: SimNode): string | undefined {
  if (!node.root.exists(CONFIG)) return `Unable to find config file ${CONFIG}`;
  return undefined;
}

/** Keepalived runs on the machine, and what it tracks (haproxy) too. */
function speaksVrrp(node: SimNode): KeepalivedConfig | undefined {
  if (!isUp(node) || activeState(node, 'keepalived') !== 'active') return undefined;
  const text = node.state.units['keepalived']?.loaded ?? '';
  if (/pgrep\s+-x\s+haproxy/.test(text) && activeState(node, 'haproxy') !== 'active') return undefined;
  return parseKeepalived(text);
}

/** Virtual addresses that the machine has on its interface. */
export function virtualAddressesHeldBy(node: SimNode): readonly string[] {
  const config = speaksVrrp(node);
  return (config?.virtualAddresses ?? []).filter((address) => node.world.nodeAt(address) === node);
}

/**
 * The machine that holds a virtual address. With `nopreempt` it stays with the one that had it, as long as that one speaks;
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
