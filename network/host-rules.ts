import { type LookupAddress, lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isAmong, refusalOfAddress } from './refused-addresses.ts';

/** What the operator of vnflow says about the hosts that requests may name. */
export interface HostSettings {
  /** `host` or `host:port`, in lower case: allowed whatever address they have. */
  readonly trusted?: readonly string[] | undefined;
  /** True: only trusted hosts are allowed. */
  readonly trustedOnly?: boolean | undefined;
  /** Hosts of vnflow's own parts, such as Temporal and PostgreSQL: their addresses are refused. */
  readonly internal?: readonly string[] | undefined;
  /** URL of the Keystone that the operator has given to vnflow. It is trusted, and so is its service catalogue. */
  readonly keystone?: string | undefined;
}

/** Decides to which hosts vnflow connects when a request or an answer of another service names them. */
export interface HostRules {
  /** Checks the host of a URL without resolving a name. @returns why it is refused; undefined when it is allowed */
  refusal(url: URL): Promise<string | undefined>;
  /**
   * The function that resolves the host of this URL when a connection is opened. The connection uses the addresses that
   * were checked, so a name whose address has changed since is refused, too.
   * @param refuse makes the error that the connection fails with
   */
  lookupOf(url: URL, refuse: (reason: string) => Error): LookupFunction;
  /**
   * The rules for the services of a Keystone. The operator's own Keystone names its services, so they are allowed
   * wherever they are; a Keystone that a request names gives nobody a right.
   */
  forServicesOf(authUrl: string): HostRules;
}

const NO_RULES: HostRules = {
  refusal: async () => undefined,
  lookupOf: () => lookup as LookupFunction,
  forServicesOf: () => NO_RULES,
};

/** How long the addresses of vnflow's own parts are used before they are resolved again. */
const INTERNAL_FOR_MS = 30_000;

/** Creates rules. Without settings, loopback, link-local, metadata and own addresses are refused. */
export function createHostRules(settings: HostSettings = {}): HostRules {
  const { trusted = [], trustedOnly = false, internal = [], keystone } = settings;
  const isTrusted = (url: URL) =>
    trusted.includes(hostOf(url)) || trusted.includes(hostAndPort(url)) || hostAndPort(url) === ownKeystone;
  const ownKeystone = keystone === undefined ? undefined : hostAndPort(keystone);
  const internalAddresses = resolver(internal);
  const refusalOf = async (addresses: readonly string[]) => {
    for (const address of addresses) {
      const reason = refusalOfAddress(address);
      if (reason !== undefined) return reason;
    }
    const own = await internalAddresses();
    return addresses.some((address) => isAmong(address, own)) ? 'a part of vnflow' : undefined;
  };
  const rules: HostRules = {
    refusal: async (url) => {
      if (isTrusted(url)) return undefined;
      if (trustedOnly) return 'not one of the hosts that are allowed';
      const host = hostOf(url);
      if (internal.includes(host)) return 'a part of vnflow';
      return isIP(host) === 0 ? undefined : refusalOf([host]);
    },
    lookupOf: (url, refuse) => (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, '', 0);
        const check = isTrusted(url) ? Promise.resolve(undefined) : refusalOf(found.map(({ address }) => address));
        check.then(
          (reason) => {
            if (reason !== undefined) return callback(refuse(reason), '', 0);
            return answer(found, options.all === true, callback);
          },
          (cause: Error) => callback(cause, '', 0),
        );
      });
    },
    forServicesOf: (authUrl) =>
      keystone !== undefined && withoutVersion(authUrl) === withoutVersion(keystone) ? NO_RULES : rules,
  };
  return rules;
}

/** The URL of a Keystone in one form: clients write it with and without its version. */
function withoutVersion(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed
    ? `${parsed.origin}${parsed.pathname.replace(/\/+$/, '').replace(/\/v3(\/auth\/tokens)?$/, '')}`
    : undefined;
}

function answer(found: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = found;
  if (all) callback(null, found);
  else callback(null, first?.address ?? '', first?.family ?? 0);
}

/** Resolves hosts, and keeps their addresses for a while. A host that cannot be resolved has no address to refuse. */
function resolver(hosts: readonly string[]): () => Promise<readonly string[]> {
  let known: { until: number; addresses: Promise<readonly string[]> } | undefined;
  return () => {
    if (known === undefined || Date.now() > known.until) {
      const each = hosts.map((host) => resolve(host, { all: true }).catch(() => []));
      const addresses = Promise.all(each).then((all) => all.flat().map(({ address }) => address));
      known = { until: Date.now() + INTERNAL_FOR_MS, addresses };
    }
    return known.addresses;
  };
}

/** The host of a URL in lower case, without the brackets of an IPv6 address and without a dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** The host of an http or https URL with its port, as `HostSettings.trusted` has it. */
function hostAndPort(text: string | URL): string {
  const url = new URL(text);
  return `${hostOf(url)}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** Reads a list of hosts, as variables such as `VNFLOW_VIM_HOSTS` have it: separated by commas. */
export function parseHosts(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
}
