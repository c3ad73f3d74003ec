import { shuffled } from '../chance.ts';
import type { Subnet } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { isInside, parseCidr, printIpv4 } from '../ipv4.ts';
import { Refusal } from '../refusal.ts';

/** Maps addresses to ports and chooses new addresses. */
export interface Addresses {
  /**
   * Returns a free address of the subnet, in an order that the seed determines.
   * @throws Refusal 409 when none is left
   */
  next(subnet: Subnet): string;
  /** Checks that an address may be used. @throws Refusal 400, 409 when it is outside the subnet or taken */
  claim(subnet: Subnet, address: string): void;
  take(subnetId: string, address: string, portId: string): void;
  release(subnetId: string, address: string): void;
  portsAt(address: string): readonly string[];
}

/** Builds the index from the ports in the state. */
export function createAddresses({ state }: Pick<Foundation, 'state'>): Addresses {
  const owners = new Map<string, Map<string, string>>();
  const orders = new Map<string, number[]>();
  const take = (subnetId: string, address: string, portId: string) => {
    const holders = owners.get(address) ?? new Map<string, string>();
    holders.set(subnetId, portId);
    owners.set(address, holders);
  };
  for (const port of Object.values(state.ports)) {
    for (const { subnetId, address } of port.fixedIps) take(subnetId, address, port.id);
  }
  const isFree = (subnet: Subnet, address: string) =>
    address !== subnet.gateway && !owners.get(address)?.has(subnet.id);
  return {
    take,
    release: (subnetId, address) => {
      const holders = owners.get(address);
      holders?.delete(subnetId);
      if (holders?.size === 0) owners.delete(address);
    },
    portsAt: (address) => [...(owners.get(address)?.values() ?? [])],
    claim: (subnet, address) => {
      if (!isInside(subnet.cidr, address)) {
        throw new Refusal(
          400,
          'InvalidIpForSubnet',
          `IP address ${address} is not a valid IP for the specified subnet.`,
        );
      }
      if (!isFree(subnet, address)) {
        const message = `IP address ${address} already allocated in subnet ${subnet.id}`;
        throw new Refusal(409, 'IpAddressAlreadyAllocated', message);
      }
    },
    next: (subnet) => {
      const { base, size } = parseCidr(subnet.cidr);
      // The first two addresses (network, gateway) and the last (broadcast) are never assigned.
      const order = orders.get(subnet.id) ?? shuffled(Math.max(size - 3, 0), state.seed * 1000 + (base % 997));
      orders.set(subnet.id, order);
      for (let tried = 0; tried < order.length; tried++) {
        const cursor = state.cursors[subnet.id] ?? 0;
        state.cursors[subnet.id] = (cursor + 1) % order.length;
        const address = printIpv4(base + 2 + (order[cursor] ?? 0));
        if (isFree(subnet, address)) return address;
      }
      const message = `No more IP addresses available on network ${subnet.networkId}.`;
      throw new Refusal(409, 'IpAddressGenerationFailure', message);
    },
  };
}
