/** Converts an IPv4 address to a number. @throws Error for any other text */
function parseIpv4(text: string): number {
  const parts = text.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  if (parts.length !== 4 || parts.some((part) => !(part <= 255))) throw new Error(`'${text}' is not an IPv4 address`);
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

export function printIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export interface Cidr {
  /** The network address. */
  readonly base: number;
  readonly size: number;
}

/** Parses a CIDR such as `10.10.0.0/24`. */
export function parseCidr(text: string): Cidr {
  const [address = '', bits = ''] = text.split('/');
  const prefix = Number(bits);
  if (!/^\d+$/.test(bits) || prefix > 32) throw new Error(`'${text}' is not a network`);
  const size = 2 ** (32 - prefix);
  const whole = parseIpv4(address);
  return { base: whole - (whole % size), size };
}

export function isInside(cidr: string, address: string): boolean {
  const { base, size } = parseCidr(cidr);
  const number = parseIpv4(address);
  return number >= base && number < base + size;
}
