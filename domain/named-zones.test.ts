import { expect, it } from 'vitest';
import { serversWithNamedZone } from './named-zones.ts';

it('finds the servers whose zone was named; Heat has null for servers without a named zone', () => {
  const vnfcs = [
    { id: 'a', metadata: { zone: 'az1' } },
    { id: 'b', metadata: { zone: null } },
    { id: 'c', metadata: {} },
    { id: 'd' },
  ];
  expect([...serversWithNamedZone({ vnfcResourceInfo: vnfcs })]).toEqual(['a']);
  expect([...serversWithNamedZone(null)]).toEqual([]);
});
