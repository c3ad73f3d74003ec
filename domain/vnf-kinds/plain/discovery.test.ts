import { expect, it } from 'vitest';
import { discoverServers } from './discovery.ts';

const server = (name: string, parent: string, index?: number) => ({
  name,
  type: 'OS::Nova::Server',
  physicalId: `${parent}-server`,
  index,
  stackId: parent,
  parent,
});
const port = (parent: string) => ({
  name: 'CP1',
  type: 'OS::Neutron::Port',
  physicalId: `${parent}-port`,
  stackId: parent,
  parent,
});

it('binds each server of a nested stack to its slot, with the address of its port, if it has one', () => {
  const resources = [server('web', 'web-10', 10), port('web-10'), server('web', 'web-2', 2), server('jump', 'other')];
  const addresses = {
    ports: new Map([['web-10-port', { address: '10.0.0.5', cidr: '10.0.0.0/24' }]]),
    floatingIps: new Map(),
  };
  const common = { role: 'web' };
  expect(discoverServers({ resources, addresses, rootStackId: 'root' })).toEqual([
    { ...common, slot: 'web[2]', serverId: 'web-2-server', nodeName: 'web-2', sshAddress: '', nicAddress: '' },
    {
      ...common,
      slot: 'web[10]',
      serverId: 'web-10-server',
      nodeName: 'web-10',
      sshAddress: '10.0.0.5',
      nicAddress: '10.0.0.5',
    },
  ]);
});
