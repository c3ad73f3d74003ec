import { describe, expect, it } from 'vitest';
import { samplePackageFiles, sampleRequest } from '../test/testing/domain/sample-package.ts';
import { readYaml } from './safe-yaml.ts';
import { healUserData, scaleInUserData, scaleOutUserData } from './standard-user-data/scale-and-heal.ts';
import { baseHot, hotResources, standardUserData, type UserDataInput } from './standard-user-data.ts';
import { flavour, readVnfd } from './vnfd.ts';

const files = samplePackageFiles();
const vnfd = readVnfd(files);
const NETWORK = 'bbc012e1-6619-4fe6-aaac-0668a4974313';

function input(flavourId: 'simple' | 'complex', changes: Partial<UserDataInput> = {}): UserDataInput {
  return {
    ...baseHot(files, flavourId),
    flavour: flavour(vnfd, flavourId),
    counts: { masterNode: flavourId === 'simple' ? 1 : 3, workerNode: 2 },
    request: sampleRequest(flavourId),
    ...changes,
  };
}

type Resources = Record<string, { type: string; properties: Record<string, unknown> }>;
const resourcesOf = (template: string) => (readYaml(template) as { resources: Resources }).resources;

/** The simple HOT with more in it. */
function withHot(...replacements: readonly (readonly [from: string, to: string])[]): UserDataInput {
  const { topHot, ...rest } = input('simple');
  let { text } = topHot;
  for (const [from, to] of replacements) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  return { ...rest, topHot: { ...topHot, text } };
}

describe('StandardUserData, simple flavour', () => {
  const made = standardUserData(
    input('simple', { grant: { softwareImages: { masterNode: 'f9766b26', workerNode: '529f058a' } } }),
  );

  it('makes the parameter nfv that the guide prints', () => {
    const worker = { computeFlavourId: 'm1.medium', vcImageId: '529f058a' };
    expect(made.parameters).toEqual({
      nfv: {
        VDU: {
          'masterNode-0': { computeFlavourId: 'm1.medium', vcImageId: 'f9766b26' },
          'workerNode-0': worker,
          'workerNode-1': worker,
        },
        CP: {
          'masterNode_CP1-0': { network: NETWORK },
          'workerNode_CP1-0': { network: NETWORK },
          'workerNode_CP1-1': { network: NETWORK },
        },
      },
    });
  });

  it('makes one resource per node, each reading its own parameters', () => {
    const resources = resourcesOf(made.template);
    expect(Object.keys(resources)).toEqual(['masterNode-0', 'workerNode-0', 'workerNode-1']);
    expect(resources['workerNode-1']).toEqual({
      type: 'simple_nested_worker.yaml',
      properties: {
        flavor: { get_param: ['nfv', 'VDU', 'workerNode-1', 'computeFlavourId'] },
        image: { get_param: ['nfv', 'VDU', 'workerNode-1', 'vcImageId'] },
        net1: { get_param: ['nfv', 'CP', 'workerNode_CP1-1', 'network'] },
      },
    });
    expect(Object.keys(made.files)).toEqual(['simple_nested_master.yaml', 'simple_nested_worker.yaml']);
  });

  it("takes images by name from the VNFD when the NFVO grants none, and the grant's flavors and zones when it does", () => {
    const zoned = withHot([
      '      net1: { get_param: [ nfv, CP, workerNode_CP1',
      '      az: { get_param: [ nfv, VDU, workerNode, locationConstraints ] }\n      net1: { get_param: [ nfv, CP, workerNode_CP1',
    ]);
    const { nfv } = standardUserData({
      ...zoned,
      grant: { flavours: { workerNode: 'big' }, zones: { 'workerNode-1': 'az2' } },
    }).parameters;
    expect(nfv['VDU']).toMatchObject({
      'masterNode-0': { computeFlavourId: 'm1.medium', vcImageId: 'masterNode-image' },
      'workerNode-0': { computeFlavourId: 'big', locationConstraints: null },
      'workerNode-1': { computeFlavourId: 'big', locationConstraints: 'az2' },
    });
  });

  it("merges the request's own nfv over all of it", () => {
    const request = {
      ...sampleRequest('simple'),
      additionalParams: { nfv: { VDU: { 'workerNode-1': { vcImageId: 'mine' } } } },
    };
    const { nfv } = standardUserData(input('simple', { request })).parameters;
    expect(nfv['VDU']?.['workerNode-1']).toEqual({ computeFlavourId: 'm1.medium', vcImageId: 'mine' });
  });
});

describe('StandardUserData, complex flavour', () => {
  it('leaves the shared resources as they are and gives the virtual address the network of the first master', () => {
    const { template } = standardUserData(input('complex'));
    const resources = resourcesOf(template);
    expect(Object.keys(resources)).toEqual([
      'masterNode-0',
      'masterNode-1',
      'masterNode-2',
      'workerNode-0',
      'workerNode-1',
      'vip_CP',
      'vip_CP_floating_ip',
      'masterNode_affinity',
      'workerNode_affinity',
    ]); // prettier-ignore
    expect(resources['masterNode-2']?.properties['virtual_ip']).toEqual({
      get_attr: ['vip_CP', 'fixed_ips', 0, 'ip_address'],
    });
    expect(resources['vip_CP']?.properties['network']).toEqual({
      get_param: ['nfv', 'CP', 'masterNode_CP1-0', 'network'],
    });
  });
});

describe('StandardUserData, addresses and networks', () => {
  const fixed = withHot([
    '      net1: { get_param: [ nfv, CP, masterNode_CP1, network ] }',
    '      net1: { get_param: [ nfv, CP, masterNode_CP1, network ] }\n      ip: { get_param: [ nfv, CP, masterNode_CP1, fixed_ips, 0, ip_address ] }\n      subnet: { get_param: [ nfv, CP, masterNode_CP1, fixed_ips, 0, subnet ] }',
  ]);

  it('passes fixed addresses on as the list that Heat reads', () => {
    const request = structuredClone(sampleRequest('simple'));
    const ip = request.extVirtualLinks?.[0]?.extCps[0]?.cpConfig['Master_CP1']?.cpProtocolData?.[0]?.ipOverEthernet;
    if (ip) ip.ipAddresses = [{ type: 'IPV4', fixedAddresses: ['10.10.0.7', '10.10.0.8'], subnetId: 'sub' }];
    const { nfv } = standardUserData({ ...fixed, request }).parameters;
    expect(nfv['CP']?.['masterNode_CP1-0']).toEqual({
      network: NETWORK,
      fixed_ips: [{ subnet: 'sub', ip_address: '10.10.0.7' }],
    });
  });

  it('gives an empty list when the request leaves the address to the network', () => {
    expect(standardUserData(fixed).parameters.nfv['CP']?.['masterNode_CP1-0']).toEqual({
      network: NETWORK,
      fixed_ips: [],
    });
  });

  it('replaces its own network, subnets included, by one that is managed outside of the stack', () => {
    const own = withHot(
      [
        'outputs: {}',
        '  internalVL:\n    type: OS::Neutron::Net\n  internalSubnet:\n    type: OS::Neutron::Subnet\n    properties:\n      network: { get_resource: internalVL }\n      cidr: 10.0.0.0/24\noutputs: {}',
      ],
      [
        '      net1: { get_param: [ nfv, CP, workerNode_CP1, network ] }',
        '      net1: { get_param: [ nfv, CP, workerNode_CP1, network ] }\n      net2: { get_resource: internalVL }',
      ],
    ); // prettier-ignore
    expect(Object.keys(resourcesOf(standardUserData(own).template))).toContain('internalSubnet');
    const request = {
      ...own.request,
      extManagedVirtualLinks: [{ vnfVirtualLinkDescId: 'internalVL', resourceId: 'theirs' }],
    };
    const resources = resourcesOf(standardUserData({ ...own, request }).template);
    expect(Object.keys(resources)).toEqual(['masterNode-0', 'workerNode-0', 'workerNode-1']);
    expect(resources['workerNode-0']?.properties['net2']).toBe('theirs');
  });
});

describe('a HOT that cannot be used is refused before any stack is made', () => {
  it.each([
    [
      'without the VDU',
      withHot(['  workerNode:', '  helperNode:']),
      'TEMPLATE_INVALID',
      /simple_hot_top\.yaml: it has no resource workerNode/,
    ],
    [
      'without its nested file',
      withHot(['simple_nested_worker.yaml', 'other.yaml']),
      'TEMPLATE_INVALID',
      /resource workerNode: its type other\.yaml is not a file in BaseHOT\/simple\/nested\//,
    ],
    [
      'without the parameter nfv',
      withHot(['    type: json', '    type: string']),
      'TEMPLATE_INVALID',
      /parameter nfv of type json/,
    ],
    [
      'that refers to a VDU from outside',
      withHot([
        'outputs: {}',
        '  extra:\n    type: OS::Heat::Value\n    properties: { value: { get_attr: [ workerNode, x ] } }\noutputs: {}',
      ]),
      'TEMPLATE_INVALID',
      /resource extra: it refers to the VDU workerNode/,
    ],
    [
      'that is no YAML',
      { ...input('simple'), topHot: { name: 'top.yaml', text: '{' } },
      'TEMPLATE_INVALID',
      /top\.yaml is not YAML/,
    ],
    [
      'with a connection point that no extVirtualLink names',
      input('simple', { request: { extVirtualLinks: sampleRequest('simple').extVirtualLinks?.slice(0, 1) } }),
      'BAD_REQUEST',
      /no entry has the cpdId workerNode_CP1/,
    ],
  ])('%s', (_what, given, code, detail) => {
    expect(() => standardUserData(given)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(detail) }),
    );
  });

  it('when the package has none, or two', () => {
    expect(() => baseHot(files, 'huge')).toThrow(/no HOT for flavour "huge"/);
    const two = new Map([...files, ['BaseHOT/simple/another.yaml', 'a: 1']]);
    expect(() => baseHot(two, 'simple')).toThrow(/more than one top HOT/);
  });
});

describe('names that a request may use', () => {
  const complex = baseHot(files, 'complex');

  it('are the resources of the top HOT and of the nested ones', () => {
    const resources = hotResources(complex);
    expect(resources.get('vip_CP_floating_ip')).toBe('OS::Neutron::FloatingIP');
    expect(resources.get('masterNode_CP1')).toBe('OS::Neutron::Port');
    expect(resources.get('workerNode_CP1_floating_ip')).toBe('OS::Neutron::FloatingIP');
    expect(resources.has('cp_of_nobody')).toBe(false);
  });

  it('are for one VDU those of the top HOT and its own', () => {
    const resources = hotResources(complex, 'masterNode');
    expect(resources.has('masterNode_CP1')).toBe(true);
    expect(resources.has('vip_CP')).toBe(true);
    expect(resources.has('workerNode_CP1')).toBe(false);
  });

  it('end where a package nests templates in a circle', () => {
    const nested = 'heat_template_version: 2013-05-23\nresources: {m: {type: complex_nested_master.yaml}}\n';
    const loop = { ...complex.files, 'complex_nested_master.yaml': nested };
    expect(() => hotResources({ ...complex, files: loop })).toThrow(/nested deeper/);
  });
});

describe('scale and heal touch only what they must', () => {
  const { template, parameters } = standardUserData(input('simple'));
  const current = { template, nfv: parameters.nfv, counts: { masterNode: 1, workerNode: 2 } };

  it('a scale out adds the new nodes and leaves the others byte for byte', () => {
    const out = scaleOutUserData(input('simple', { counts: { masterNode: 1, workerNode: 4 } }), current);
    const { 'workerNode-2': third, 'workerNode-3': fourth, ...others } = resourcesOf(out.template);
    expect([third?.type, fourth?.type]).toEqual(['simple_nested_worker.yaml', 'simple_nested_worker.yaml']);
    expect(others).toEqual(resourcesOf(template));
    expect(Object.keys(out.parameters.nfv['VDU'] ?? {})).toEqual([
      'masterNode-0',
      'workerNode-0',
      'workerNode-1',
      'workerNode-2',
      'workerNode-3',
    ]);
  });

  it('a scale in takes out just the named nodes', () => {
    expect(Object.keys(resourcesOf(scaleInUserData(current, ['workerNode-1']).template))).toEqual([
      'masterNode-0',
      'workerNode-0',
    ]);
  });

  it('a heal changes an image only for the healed node, and only if the grant names one', () => {
    expect(healUserData(current, {}, ['workerNode-1']).parameters.nfv).toEqual(parameters.nfv);
    const { nfv } = healUserData(current, { workerNode: 'new' }, ['workerNode-1']).parameters;
    expect(nfv['VDU']?.['workerNode-1']).toEqual({ computeFlavourId: 'm1.medium', vcImageId: 'new' });
    expect(nfv['VDU']?.['workerNode-0']).toEqual(parameters.nfv['VDU']?.['workerNode-0']);
  });
});
