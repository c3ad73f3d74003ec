import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

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
  ['fec0::', 10, 'ipv6', 'a site-local address'],
  ['fd00:ec2::254', 128, 'ipv6', 'a metadata address'],
  ['fd20:ce::254', 128, 'ipv6', 'a metadata address'],
  ['::', 96, 'ipv6', 'a translated IPv4 address'],
  ['::ffff:0:0:0', 96, 'ipv6', 'a translated IPv4 address'],
  ['64:ff9b::', 96, 'ipv6', 'a translated IPv4 address'],
  ['64:ff9b:1::', 48, 'ipv6', 'a translated IPv4 address'],
  ['2002::', 16, 'ipv6', 'a translated IPv4 address'],
  ['ff00::', 8, 'ipv6', 'a multicast address'],
];

const LISTS = REFUSED.map(([network, prefix, family, name]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return { list, name };
});

/**
 * Decides whether vnflow may connect to an IP address that a request names. It refuses loopback, link-local and
 * multicast addresses, metadata services, and the addresses of this machine. An IPv4 address within IPv6
 * (`::ffff:127.0.0.1`) counts as IPv4.
 * @returns why the address is refused; undefined when it is allowed
 */
export function refusalOfAddress(address: string): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const found = LISTS.find(({ list }) => list.check(address, family));
  if (found) return found.name;
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return isAmong(
    address,
    own.map((local) => local.address),
  )
    ? "an address of vnflow's own machine"
    : undefined;
}

/** Compares IP addresses, whatever way they are written in. */
export function isAmong(address: string, addresses: readonly string[]): boolean {
  const list = new BlockList();
  for (const each of addresses) list.addAddress(each, isIP(each) === 6 ? 'ipv6' : 'ipv4');
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
