import { BlockList, isIPv4 } from 'node:net';

/**
 * Node names as Tacker's sample makes them: role and host part of the address in its subnet. In a /24 that is the
 * fourth octet (`master231`, `worker9`); in a larger subnet the octets that vary, joined by `-` (`worker3-9`), so that
 * names are unique in any subnet size.
 * @param cidr the subnet of the node's network interface, for example 10.10.0.0/24
 * @throws RangeError when the address is not in the subnet
 */
export function nodeName(role: string, address: string, cidr: string): string {
  const [network = '', prefixText = ''] = cidr.split('/');
  const prefix = Number(prefixText);
  if (!isIPv4(address) || !isIPv4(network) || !Number.isInteger(prefix))
    throw new RangeError(`${address} in ${cidr} is no IPv4 address in a subnet`);
  const subnet = new BlockList();
  subnet.addSubnet(network, prefix);
  if (!subnet.check(address)) throw new RangeError(`${address} is not in ${cidr}`);
  const varying = address.split('.').slice(Math.min(3, Math.floor(prefix / 8)));
  return `${role}${varying.join('-')}`;
}

/** The label of a node for people: its name, and its address if it has one. */
export function nodeLabel(name: string, address: string): string {
  return address === '' ? name : `${name} (${address})`;
}
