import { describe, expect, it } from 'vitest';
import { computeNeeds } from './hot-from-vnfd/compute-needs.ts';
import { generateHots } from './hot-from-vnfd.ts';
import { readYaml, writeYaml } from './safe-yaml.ts';
import { hotResources, separatedVdus, standardUserData } from './standard-user-data.ts';
import { readTopology, vduCounts } from './vnfd.ts';

type Json = Record<string, unknown>;
interface Template {
  readonly resources: Readonly<Record<string, { type: string; properties: Json; depends_on?: string[] }>>;
  readonly parameters: Json;
}

const IMAGE = { name: 'cirros', version: '1', container_format: 'bare', disk_format: 'qcow2' };
const NODES = {
  VNF: { type: 'company.provider.VNF', properties: { descriptor_id: 'd', flavour_id: 'small' } },
  web: {
    type: 'tosca.nodes.nfv.Vdu.Compute',
    properties: { name: 'web server', sw_image_data: { ...IMAGE, min_disk: '2 GB' }, boot_data: '#cloud-config' },
    capabilities: {
      virtual_compute: {
        properties: {
          virtual_cpu: { num_virtual_cpu: 2 },
          virtual_memory: { virtual_mem_size: '4 GB' },
          virtual_local_storage: [{ size_of_storage: '10 GB' }],
        },
      },
    },
    requirements: [{ virtual_storage: 'data' }],
  },
  db: {
    type: 'tosca.nodes.nfv.Vdu.Compute',
    properties: { name: 'db', vdu_profile: { min_number_of_instances: 2 } },
    requirements: [{ virtual_storage: 'data' }, { virtual_storage: 'root' }],
  },
  data: {
    type: 'tosca.nodes.nfv.Vdu.VirtualBlockStorage',
    properties: { virtual_block_storage_data: { size_of_storage: '1500 MB' } },
  },
  root: {
    type: 'tosca.nodes.nfv.Vdu.VirtualBlockStorage',
    properties: {
      virtual_block_storage_data: { size_of_storage: '30 GB' },
      sw_image_data: { ...IMAGE, min_ram: '8192 MB' },
    },
  },
  inside: {
    type: 'tosca.nodes.nfv.VduCp',
    properties: { order: 1 },
    requirements: [{ virtual_binding: 'web' }, { virtual_link: 'net' }],
  },
  outside: {
    type: 'tosca.nodes.nfv.VduCp',
    properties: { order: 0, vnic_type: 'normal' },
    requirements: [{ virtual_binding: 'web' }],
  },
  db_cp: { type: 'tosca.nodes.nfv.VduCp', requirements: [{ virtual_binding: 'db' }, { virtual_link: 'net' }] },
  net: {
    type: 'tosca.nodes.nfv.VnfVirtualLink',
    properties: {
      vl_profile: {
        virtual_link_protocol_data: [
          { l2_protocol_data: { mtu: 1400 }, l3_protocol_data: { ip_version: 'ipv4', cidr: '10.9.0.0/24' } },
        ],
      },
    },
  },
};
const RULE = { type: 'tosca.policies.nfv.SecurityGroupRule', targets: ['outside'] };
const POLICIES = [
  { apart: { type: 'tosca.policies.nfv.AntiAffinityRule', targets: ['both'], properties: { scope: 'nfvi_node' } } },
  { http: { ...RULE, properties: { protocol: 'tcp', port_range_min: 80, port_range_max: 80 } } },
  { ping: { ...RULE, properties: { protocol: 'icmp' } } },
];
const GROUPS = { both: { type: 'tosca.groups.nfv.PlacementGroup', members: ['web', 'db'] } };
const LINK = { id: 'l1', resourceId: 'network-1', extCps: [{ cpdId: 'outside', cpConfig: {} }] };

function topologyOf(nodes: Json = NODES, policies: readonly Json[] = POLICIES) {
  const vnfd = {
    tosca_definitions_version: 'tosca_simple_yaml_1_2',
    topology_template: {
      substitution_mappings: { node_type: 'company.provider.VNF', properties: { flavour_id: 'small' } },
      node_templates: nodes,
      policies,
      groups: GROUPS,
    },
  };
  return readTopology(new Map([['vnfd.yaml', writeYaml(vnfd)]]), 'small');
}

const changed = (name: keyof typeof NODES, change: Json) => ({ ...NODES, [name]: { ...NODES[name], ...change } });
const hotsOf = (topology = topologyOf(), request = {}) => generateHots({ topology, request });
const read = (text: string | undefined) => readYaml(text ?? '') as Template;

describe('the templates of a VNFD without a BaseHOT', () => {
  const hots = hotsOf();
  const top = read(hots.topHot.text).resources;
  const web = read(hots.files['web.yaml']);
  const db = read(hots.files['db.yaml']);

  it('have a server with ports in their order, its image, its boot data and its volume', () => {
    expect(web.resources['web']).toEqual({
      type: 'OS::Nova::Server',
      properties: {
        name: 'web server',
        flavor: { get_param: 'flavor' },
        image: { get_param: 'image' },
        networks: [{ port: { get_resource: 'outside' } }, { port: { get_resource: 'inside' } }],
        block_device_mapping_v2: [
          { volume_id: { get_resource: 'data' }, boot_index: -1, delete_on_termination: false },
        ],
        scheduler_hints: { group: { get_param: 'server_group' } },
        user_data: '#cloud-config',
        user_data_format: 'RAW',
      },
    });
    expect(web.resources['data']).toEqual({ type: 'OS::Cinder::Volume', properties: { size: 2 } });
  });

  it('let a server boot from the volume that has an image, when it has none itself', () => {
    expect(db.resources['db']?.properties).not.toHaveProperty('image');
    expect(db.resources['db']?.properties['block_device_mapping_v2']).toMatchObject([
      { volume_id: { get_resource: 'data' }, boot_index: -1 },
      { volume_id: { get_resource: 'root' }, boot_index: 0 },
    ]);
    expect(db.resources['root']?.properties).toEqual({ size: 30, image: { get_param: 'root_image' } });
    expect(top['db']?.properties['root_image']).toEqual({ get_param: ['nfv', 'VDU', 'root', 'vcImageId'] });
  });

  it('have a network with its subnet, which servers wait for', () => {
    expect(top['net']).toEqual({ type: 'OS::Neutron::Net', properties: { value_specs: { mtu: 1400 } } });
    expect(top['net_subnet']?.properties).toMatchObject({ network: { get_resource: 'net' }, cidr: '10.9.0.0/24' });
    expect([top['web'], top['db']].map((vdu) => vdu?.depends_on)).toEqual([['net_subnet'], ['net_subnet']]);
    expect(top['web']?.properties).toMatchObject({
      inside_network: { get_resource: 'net' },
      outside_network: { get_param: ['nfv', 'CP', 'outside', 'network'] },
    });
  });

  it('have a security group where the VNFD has rules, without ports where the protocol has none', () => {
    expect(top['outside_security_group']).toEqual({
      type: 'OS::Neutron::SecurityGroup',
      properties: {
        rules: [
          { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', port_range_min: 80, port_range_max: 80 },
          { direction: 'ingress', ethertype: 'IPv4', protocol: 'icmp' },
        ],
      },
    });
    expect(web.resources['outside']?.properties).toEqual({
      network: { get_param: 'outside_network' },
      security_groups: [{ get_param: 'outside_security_group' }],
      'binding:vnic_type': 'normal',
    });
    expect(web.resources['inside']?.properties).not.toHaveProperty('security_groups');
  });

  it('have a server group for a rule, also one that names a placement group', () => {
    expect(top['apart_server_group']?.properties).toEqual({ policies: ['anti-affinity'] });
    expect(separatedVdus(hots, ['web', 'db'])).toEqual(['web', 'db']);
  });

  it('declare a parameter for each value that the top template gives', () => {
    for (const vdu of ['web', 'db']) {
      expect(Object.keys(read(hots.files[`${vdu}.yaml`]).parameters)).toEqual(Object.keys(top[vdu]?.properties ?? {}));
    }
    expect(hotResources(hots, 'web').get('outside')).toBe('OS::Neutron::Port');
  });
});

describe('the request changes the templates', () => {
  it('an external link takes a connection point that the VNFD has on an internal one; a network of no use goes', () => {
    const extCps = ['outside', 'inside', 'db_cp'].map((cpdId) => ({ cpdId, cpConfig: {} }));
    const top = read(hotsOf(topologyOf(), { extVirtualLinks: [{ ...LINK, extCps }] }).topHot.text).resources;
    expect(top['web']?.properties['inside_network']).toEqual({ get_param: ['nfv', 'CP', 'inside', 'network'] });
    expect(top).not.toHaveProperty('net');
  });

  it('a managed link takes the place of an internal network', () => {
    const managed = { extManagedVirtualLinks: [{ vnfVirtualLinkDescId: 'net', resourceId: 'network-2' }] };
    const top = read(hotsOf(topologyOf(), managed).topHot.text).resources;
    expect(top['web']?.properties['inside_network']).toBe('network-2');
    expect(Object.keys(top)).not.toEqual(expect.arrayContaining(['net']));
  });

  it('its fixed addresses arrive at the port, by StandardUserData', () => {
    const ipAddresses = [{ type: 'IPV4', fixedAddresses: ['10.1.1.5'], subnetId: 'subnet-1' }];
    const cpConfig = {
      a: { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses } }] },
    };
    const request = { extVirtualLinks: [{ ...LINK, extCps: [{ cpdId: 'outside', cpConfig }] }] } as const;
    const topology = topologyOf();
    const hots = generateHots({ topology, request: request as never });
    const { parameters, template } = standardUserData({
      ...hots,
      flavour: topology.flavour,
      counts: vduCounts(topology.flavour),
      request: request as never,
      grant: { flavours: { web: 'm1.medium', db: 'm1.large' } },
    });
    expect(parameters.nfv).toEqual({
      VDU: {
        'web-0': { computeFlavourId: 'm1.medium', vcImageId: 'cirros' },
        'db-0': { computeFlavourId: 'm1.large' },
        'root-0': { vcImageId: 'cirros' },
        'db-1': { computeFlavourId: 'm1.large' },
        'root-1': { vcImageId: 'cirros' },
      },
      CP: { 'outside-0': { network: 'network-1', fixed_ips: [{ subnet: 'subnet-1', ip_address: '10.1.1.5' }] } },
    });
    expect(Object.keys(read(template).resources)).toEqual(
      expect.arrayContaining(['web-0', 'db-0', 'db-1', 'net', 'net_subnet']),
    );
    expect(read(hots.files['web.yaml']).resources['outside']?.properties['fixed_ips']).toEqual([
      { ip_address: { get_param: 'outside_ip_address_0' }, subnet: { get_param: 'outside_subnet_0' } },
    ]);
  });
});

it('says what servers need: units as OpenStack counts them, and what the image asks for', () => {
  expect(computeNeeds(topologyOf())).toEqual({
    web: { cores: 2, ram: 4096, disk: 10 },
    db: { cores: 1, ram: 8192, disk: 0 },
  });
});

describe('refuses what would not be in the stack, and names it', () => {
  const anotherRule = {
    two: { type: 'tosca.policies.nfv.AffinityRule', targets: ['web'], properties: { scope: 'nfvi_node' } },
  };
  const zoneRule = {
    far: { type: 'tosca.policies.nfv.AffinityRule', targets: ['web'], properties: { scope: 'zone' } },
  };
  it.each([
    ['a flavour without servers', { VNF: NODES.VNF }, [], /flavour "small" has no node template of type/],
    [
      'a node type',
      { ...NODES, pod: { type: 'tosca.nodes.nfv.Vdu.OsContainer' } },
      POLICIES,
      /node template pod: .*OsContainer/,
    ],
    [
      'a server without an image',
      changed('web', { properties: { name: 'web' } }),
      POLICIES,
      /node template web: it has no sw_image_data/,
    ],
    ['a network without addresses', changed('net', { properties: {} }), POLICIES, /node template net: .*cidr/],
    [
      'a link that is not there',
      changed('db_cp', { requirements: [{ virtual_binding: 'db' }, { virtual_link: 'x' }] }),
      POLICIES,
      /node template db_cp: its virtual_link x/,
    ],
    [
      'a volume without a size',
      changed('data', { properties: {} }),
      POLICIES,
      /node template data, virtual_block_storage_data/,
    ],
    ['a scope that Nova cannot keep', NODES, [zoneRule], /policy far: its scope is zone/],
    ['a server in two groups', NODES, [...POLICIES, anotherRule], /policies apart and two: both name web/],
    ['a name that Heat refuses', { ...NODES, 'a/b': NODES.net }, POLICIES, /node template "a\/b"/],
  ] as const)('%s', (_what, nodes, policies, message) => {
    expect(() => hotsOf(topologyOf(nodes, policies))).toThrow(message);
  });
});
