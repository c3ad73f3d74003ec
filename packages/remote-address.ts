import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { VnflowError } from '../domain/problems.ts';

/** Address ranges of this machine, of its link, of metadata services of clouds, and ranges that no server can have. */
const REFUSED: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6', name: string])[] = [
  ['0.0.0.0', 8, 'ipv4', 'this machine'],
  ['127.0.0.0', 8, 'ipv4', 'a loopback address'],
  ['169.254.0.0', 16, 'ipv4', 'a link-local or metadata address'],
  ['100.100.100.200', 32, 'ipv4', 'a metadata address'],
  ['168.63.129.16', 32, 'ipv4', 'a metadata address'],
  ['192.0.0.0', 24, 'ipv4', 'a metadata address'],
  ['224.0.0.0', 3, 'ipv4', 'a multicast or reserved address'],
  ['::', 128, 'ipv6', 'this machine'],
  ['::1', 128, 'ipv6', 'a loopback address'],
  ['fe80::', 10, 'ipv6', 'a link-local address'],
  ['fd00:ec2::254', 128, 'ipv6', 'a metadata address'],
  ['64:ff9b::', 96, 'ipv6', 'a translated IPv4 address'],
  ['2002::', 16, 'ipv6', 'a translated IPv4 address'],
  ['ff00::', 8, 'ipv6', 'a multicast address'],
];

const LISTS = REFUSED.map(([network, prefix, family, name]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return { list, name };
});

/**
 * Decides whether vnflow may fetch from an IP address. It refuses loopback, link-local and multicast addresses,
 * metadata services, and the addresses of this machine. An IPv4 address within IPv6 (`::ffff:127.0.0.1`) counts as
 * IPv4.
 * @returns why the address is refused; undefined when it is allowed
 */
export function refusalOfAddress(address: string): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const found = LISTS.find(({ list }) => list.check(address, family));
  if (found) return found.name;
  const own = new BlockList();
  for (const local of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    own.addAddress(local.address, local.family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return own.check(address, family) ? "an address of vnflow's own machine" : undefined;
}

/**
 * Checks the URI of a package or an artifact, without resolving its host name.
 * @param hosts host names that may have any address (`VNFLOW_PACKAGE_HOSTS`)
 * @throws VnflowError BAD_REQUEST; it does not repeat the URI, which may contain a secret
 */
export function checkedRemoteUrl(uri: string, hosts: readonly string[]): URL {
  const url = URL.parse(uri);
  if (url === null) throw refused('it is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https are fetched');
  if (url.username !== '' || url.password !== '') {
    throw refused('it has a user name or password; send userName and password as members of the request');
  }
  const host = hostOf(url);
  const reason = isIP(host) === 0 || hosts.includes(host) ? undefined : refusalOfAddress(host);
  if (reason !== undefined) throw refused(`${host} is ${reason}`);
  return url;
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function refused(reason: string): VnflowError {
  return new VnflowError('BAD_REQUEST', {
    detail: `addressInformation: nothing is fetched from this address: ${reason}.`,
  });
}
