import type { SimNode } from '../world.ts';

export interface KeepalivedConfig {
  readonly priority: number;
  readonly routerId: number;
  readonly state: string;
  readonly virtualAddresses: readonly string[];
  readonly peers: readonly string[];
  readonly password: string;
}

const CONFIG = '/etc/keepalived/keepalived.conf';

/** Reads the relevant settings; keepalived ignores further words on a line. */
export function parseKeepalived(text: string): KeepalivedConfig {
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

/** Checks like `keepalived -t`: exit code 0 is good, 5 means complaints, 6 script security. */
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

/** Returns why keepalived does not start with the configuration file. Undefined when it starts. */
export function keepalivedProblem(node: SimNode): string | undefined {
  if (!node.root.exists(CONFIG)) return `Unable to find config file ${CONFIG}`;
  return undefined;
}
