import { expect, it } from 'vitest';
import type { DiscoveredResource } from '../../discovered-stack.ts';
import { discoverCluster, discoverNodes } from './discovery.ts';
import { ClusterParameters } from './parameters.ts';

const parameters = ClusterParameters.parse({
  script_path: 'Scripts/install_k8s_cluster.sh',
  master_node: {
    vdu_id: 'masterNode',
    ssh_cp_name: 'masterNode_CP1_floating_ip',
    nic_cp_name: 'masterNode_CP1',
    username: 'ubuntu',
    password: 'ubuntu',
    cluster_cp_name: 'masterNode_CP1',
  },
  worker_node: {
    vdu_id: 'workerNode',
    ssh_cp_name: 'workerNode_CP1_floating_ip',
    nic_cp_name: 'workerNode_CP1',
    username: 'ubuntu',
    password: 'ubuntu',
  },
});

function vnfc(vdu: string, index: number, ids: { server: string; port: string; fip: string }): DiscoveredResource[] {
  const place = { stackId: `stack-${vdu}-${index}`, parent: `${vdu}-${index}` };
  return [
    { name: vdu, type: 'OS::Nova::Server', physicalId: ids.server, index, ...place },
    { name: `${vdu}_CP1`, type: 'OS::Neutron::Port', physicalId: ids.port, ...place },
    { name: `${vdu}_CP1_floating_ip`, type: 'OS::Neutron::FloatingIP', physicalId: ids.fip, ...place },
  ];
}

const discovery = {
  rootStackId: 'root',
  parameters,
  resources: [
    ...vnfc('workerNode', 10, { server: 's3', port: 'p3', fip: 'f3' }),
    ...vnfc('workerNode', 2, { server: 's2', port: 'p2', fip: 'f2' }),
    ...vnfc('masterNode', 0, { server: 's1', port: 'p1', fip: 'f1' }),
  ],
  addresses: {
    ports: new Map([
      ['p1', { address: '10.10.0.231', cidr: '10.10.0.0/24' }],
      ['p2', { address: '10.10.0.9', cidr: '10.10.0.0/24' }],
      ['p3', { address: '10.10.0.30', cidr: '10.10.0.0/24' }],
    ]),
    floatingIps: new Map([
      ['f1', '172.24.4.3'],
      ['f2', '172.24.4.72'],
      ['f3', '172.24.4.161'],
    ]),
  },
};

it('binds each slot to its server, reached at the address of ssh_cp_name and named after that of nic_cp_name', () => {
  expect(discoverNodes(discovery)).toEqual([
    {
      slot: 'masterNode[0]',
      role: 'master',
      serverId: 's1',
      nodeName: 'master231',
      sshAddress: '172.24.4.3',
      nicAddress: '10.10.0.231',
    },
    {
      slot: 'workerNode[2]',
      role: 'worker',
      serverId: 's2',
      nodeName: 'worker9',
      sshAddress: '172.24.4.72',
      nicAddress: '10.10.0.9',
    },
    {
      slot: 'workerNode[10]',
      role: 'worker',
      serverId: 's3',
      nodeName: 'worker30',
      sshAddress: '172.24.4.161',
      nicAddress: '10.10.0.30',
    },
  ]);
});

it("makes the only control-plane node's port the cluster's endpoint, and its certificate good for the floating IP too", () => {
  expect(discoverCluster(discovery, discoverNodes(discovery))).toEqual({
    endpoint: '10.10.0.231:6443',
    certSans: ['10.10.0.231', '172.24.4.3'],
    controlPlanes: [{ name: 'master231', address: '10.10.0.231' }],
    nodes: [
      { name: 'master231', address: '10.10.0.231' },
      { name: 'worker9', address: '10.10.0.9' },
      { name: 'worker30', address: '10.10.0.30' },
    ],
    floatingIp: '172.24.4.3',
  });
});

it('names the parameter and the resource that the stack lacks', () => {
  const without = {
    ...discovery,
    resources: discovery.resources.filter(({ name }) => name !== 'workerNode_CP1_floating_ip'),
  };
  expect(() => discoverNodes(without)).toThrow(
    'worker_node.ssh_cp_name: resource workerNode_CP1_floating_ip of workerNode-10 does not exist.',
  );
});

it('puts the virtual address, its floating IP and the load balancer in front of several control-plane nodes', () => {
  const balanced = {
    ...discovery,
    parameters: {
      ...parameters,
      master_node: { ...parameters.master_node, cluster_cp_name: 'vip_CP', cluster_fip_name: 'vip_CP_floating_ip' },
    },
    resources: [
      ...discovery.resources,
      { name: 'vip_CP', type: 'OS::Neutron::Port', physicalId: 'pv', stackId: 'root' },
      { name: 'vip_CP_floating_ip', type: 'OS::Neutron::FloatingIP', physicalId: 'fv', stackId: 'root' },
    ],
    addresses: {
      ports: new Map([...discovery.addresses.ports, ['pv', { address: '10.10.0.100', cidr: '10.10.0.0/24' }]]),
      floatingIps: new Map([...discovery.addresses.floatingIps, ['fv', '172.24.4.9']]),
    },
  };
  expect(discoverCluster(balanced, discoverNodes(balanced))).toEqual({
    endpoint: '10.10.0.100:16443',
    certSans: ['10.10.0.100', '172.24.4.9', '10.10.0.231', '172.24.4.3'],
    controlPlanes: [{ name: 'master231', address: '10.10.0.231' }],
    nodes: [
      { name: 'master231', address: '10.10.0.231' },
      { name: 'worker9', address: '10.10.0.9' },
      { name: 'worker30', address: '10.10.0.30' },
    ],
    virtualIp: '10.10.0.100',
    floatingIp: '172.24.4.9',
  });
});
