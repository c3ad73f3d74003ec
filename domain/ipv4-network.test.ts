import { expect, it } from 'vitest';
import { addressesOfNetwork, unusableNetwork, withoutHostBits } from './ipv4-network.ts';

it('clears the host bits of a network and leaves everything else as it is', () => {
  expect(withoutHostBits('192.168.3.0/16')).toBe('192.168.0.0/16');
  expect(withoutHostBits('10.10.0.77/24')).toBe('10.10.0.0/24');
  expect(withoutHostBits('255.255.255.255/0')).toBe('0.0.0.0/0');
  for (const other of ['10.0.0.1', '.svc', 'fd00::/8', '10.0.0.0/33', '300.0.0.0/8']) {
    expect(withoutHostBits(other)).toBe(other);
  }
});

it('lists every address of a network up to the limit', () => {
  expect(addressesOfNetwork('10.10.0.6/30', 4)).toEqual(['10.10.0.4', '10.10.0.5', '10.10.0.6', '10.10.0.7']);
  expect(addressesOfNetwork('10.10.0.5/32', 1)).toEqual(['10.10.0.5']);
  expect(addressesOfNetwork('10.10.15.1/20', 4096)?.at(-1)).toBe('10.10.15.255');
  expect(addressesOfNetwork('10.10.0.0/19', 4096)).toBeUndefined();
  expect(addressesOfNetwork('nodes', 4096)).toBeUndefined();
});

it.each([
  ['10.10.0.0/24', undefined],
  ['10.10.0.9/30', undefined],
  ['10.10.0.9/31', 'must not be smaller than a /30'],
  ['10.10.0.9/32', 'must not be smaller than a /30'],
  ['192.168.3.0/16', undefined],
  ['10.0.0.0/7', 'must not be larger than a /8'],
  ['0.0.0.0/0', 'must not be larger than a /8'],
  ['0.1.0.0/16', 'must not be in 0.0.0.0/8, where no machine has an address'],
  ['127.3.0.0/16', 'must not be in 127.0.0.0/8, the loopback network of each machine'],
  ['169.254.1.0/24', 'must not be in 169.254.0.0/16, the link-local network'],
  ['169.0.0.0/8', 'must not be in 169.254.0.0/16, the link-local network'],
  ['239.0.0.0/8', 'must not be in 224.0.0.0/3, which holds multicast and reserved addresses'],
  ['10.10.0.0', 'must be an IPv4 network such as 10.10.0.0/24'],
  ['10.10.0.0/33', 'must be an IPv4 network such as 10.10.0.0/24'],
  ['10.256.0.0/16', 'must be an IPv4 network such as 10.10.0.0/24'],
  ['10.10.0.0/24; reboot', 'must be an IPv4 network such as 10.10.0.0/24'],
])('%s as a network of nodes: %s', (cidr, sentence) => {
  expect(unusableNetwork(cidr)).toBe(sentence);
});
