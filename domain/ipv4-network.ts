/** An IPv4 network as numbers. */
interface Network {
  /** The first address. */
  readonly base: number;
  /** Length of the prefix, 0 to 32. */
  readonly prefix: number;
}

/** @param cidr a network, perhaps with host bits. @returns undefined when it is no IPv4 network */
function parse(cidr: string): Network | undefined {
  const [, address = '', length = ''] = /^(\d+(?:\.\d+){3})\/(\d{1,2})$/.exec(cidr) ?? [];
  const octets = address.split('.').map(Number);
  const prefix = Number(length);
  if (length === '' || prefix > 32 || octets.some((octet) => octet > 255)) return undefined;
  const number = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return { base: number - (number % 2 ** (32 - prefix)), prefix };
}

function print(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** Clears the host bits of a network, as 192.168.3.0/16 has them. What is no IPv4 network stays as it is. */
export function withoutHostBits(cidr: string): string {
  const network = parse(cidr);
  return network === undefined ? cidr : `${print(network.base)}/${network.prefix}`;
}

/**
 * Lists every address of a network, also the first and the last one.
 * @returns undefined when the network has more than `limit` addresses, or is no IPv4 network
 */
export function addressesOfNetwork(cidr: string, limit: number): readonly string[] | undefined {
  const network = parse(cidr);
  if (network === undefined) return undefined;
  const size = sizeOfNetwork(cidr);
  return size > limit ? undefined : Array.from({ length: size }, (_, index) => print(network.base + index));
}

/** How many addresses a network has. Zero when it is no IPv4 network. */
function sizeOfNetwork(cidr: string): number {
  const network = parse(cidr);
  return network === undefined ? 0 : 2 ** (32 - network.prefix);
}

const RESERVED = [
  { cidr: '0.0.0.0/8', sentence: 'must not be in 0.0.0.0/8, where no machine has an address' },
  { cidr: '127.0.0.0/8', sentence: 'must not be in 127.0.0.0/8, the loopback network of each machine' },
  { cidr: '169.254.0.0/16', sentence: 'must not be in 169.254.0.0/16, the link-local network' },
  { cidr: '224.0.0.0/3', sentence: 'must not be in 224.0.0.0/3, which holds multicast and reserved addresses' },
];

/** The sizes that a network may have, as lengths of the prefix. */
export interface NetworkSizes {
  readonly largest: number;
  readonly smallest: number;
}

/** A /31 and a /32 have no address for a second machine. */
const ANY_SIZE: NetworkSizes = { largest: 8, smallest: 30 };

/**
 * Why nodes, pods or services cannot have addresses in a network.
 * @returns a sentence without subject; undefined when they can have addresses there
 */
export function unusableNetwork(cidr: string, { largest, smallest } = ANY_SIZE): string | undefined {
  const network = parse(cidr);
  if (network === undefined) return 'must be an IPv4 network such as 10.10.0.0/24';
  if (network.prefix < largest) return `must not be larger than a /${largest}`;
  if (network.prefix > smallest) return `must not be smaller than a /${smallest}`;
  return RESERVED.find((reserved) => overlaps(network, parse(reserved.cidr)))?.sentence;
}

/** Whether an address is in a network. Not, when the one is no IPv4 address or the other no IPv4 network. */
export function isInNetwork(address: string, cidr: string): boolean {
  const host = parse(`${address}/32`);
  const network = parse(cidr);
  return host !== undefined && network !== undefined && overlaps(host, network);
}

function overlaps(a: Network, b: Network | undefined): boolean {
  if (b === undefined) return false;
  const size = 2 ** (32 - Math.min(a.prefix, b.prefix));
  return Math.floor(a.base / size) === Math.floor(b.base / size);
}
