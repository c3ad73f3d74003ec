import { describe, expect, it } from 'vitest';
import { samplePackageFiles } from '../test/testing/domain/sample-package.ts';
import { findLevel, flavour, readVnfd, vduCount, vduIds } from './vnfd.ts';

const SIMPLE = 'Definitions/flavour_simple.yaml';

/** The sample with one file changed. */
function changed(path: string, from: string | RegExp, to: string): Map<string, string> {
  const files = samplePackageFiles();
  const text = files.get(path) ?? '';
  expect(text).toMatch(from);
  return files.set(path, text.replace(from, to));
}

describe('the VNFD of the sample package', () => {
  const vnfd = readVnfd(samplePackageFiles());
  const simple = flavour(vnfd, 'simple');
  const complex = flavour(vnfd, 'complex');

  it('reads provider, product, versions and flavours, as the guide shows them', () => {
    const { flavours, declaredParameters: _, ...identity } = vnfd;
    expect(identity).toEqual({
      vnfdId: 'd34ac189-5376-493f-828f-224dd5fe7393',
      provider: 'Company',
      productName: 'Sample VNF',
      softwareVersion: '1.0',
      vnfdVersion: '1.0',
    });
    expect(flavours.map(({ id, description }) => [id, description])).toEqual([
      ['complex', 'Three control-plane nodes behind a virtual address'],
      ['simple', 'One control-plane node'],
    ]);
  });

  it('gives each VDU its flavor, image and connection point', () => {
    expect(vduIds(simple)).toEqual(['masterNode', 'workerNode']);
    expect(simple.vdus.map(({ computeFlavour, softwareImage }) => [computeFlavour, softwareImage?.name])).toEqual([
      ['m1.medium', 'masterNode-image'],
      ['m1.medium', 'workerNode-image'],
    ]);
    expect(simple.connectionPoints).toEqual([
      { id: 'masterNode_CP1', vduId: 'masterNode' },
      { id: 'workerNode_CP1', vduId: 'workerNode' },
    ]);
  });

  it('counts the nodes of a level, the default one if none is named', () => {
    expect([vduCount(simple, 'masterNode'), vduCount(simple, 'workerNode')]).toEqual([1, 2]);
    expect(vduCount(simple, 'workerNode', 'instantiation_level_2')).toBe(4);
    expect(vduCount(complex, 'masterNode')).toBe(3);
    expect(vduCount(complex, 'masterNode', 'instantiation_level_3')).toBe(5);
    expect(findLevel(simple).scaleLevels).toEqual({ workerNode_scale: 0 });
  });

  it('scales workers by one, up to two steps', () => {
    expect(simple.aspects).toEqual([{ id: 'workerNode_scale', maxScaleLevel: 2, vduDeltas: { workerNode: 1 } }]);
  });

  it('keeps nodes of one kind on different hosts, in the complex flavour', () => {
    expect(complex.affinityRules.map(({ kind, targets }) => [kind, ...targets])).toEqual([
      ['ANTI_AFFINITY', 'masterNode'],
      ['ANTI_AFFINITY', 'workerNode'],
    ]);
    expect(simple.affinityRules).toEqual([]);
  });
});

describe('a request that names something unknown gets a message with the valid names', () => {
  const vnfd = readVnfd(samplePackageFiles());
  const simple = flavour(vnfd, 'simple');

  it.each([
    ['flavour', () => flavour(vnfd, 'huge'), 'FLAVOUR_UNKNOWN', /no flavour "huge"; it has complex, simple/],
    [
      'level',
      () => vduCount(simple, 'masterNode', 'nine'),
      'BAD_REQUEST',
      /no level "nine"; it has instantiation_level_1, /,
    ],
    ['VDU', () => vduCount(simple, 'storage'), 'BAD_REQUEST', /no VDU "storage"; it has masterNode, workerNode/],
    ['inherited name', () => vduCount(simple, 'constructor'), 'BAD_REQUEST', /no VDU "constructor"/],
  ])('%s', (_what, act, code, detail) => {
    expect(act).toThrow(expect.objectContaining({ code, message: expect.stringMatching(detail) }));
  });
});

describe('a VNFD that cannot be used is refused with file and place', () => {
  const vnfdFile = 'Definitions/kubernetes_cluster.vnfd.yaml';
  it.each([
    ['no definitions', new Map([['BaseHOT/a.yaml', 'a: 1']]), /no YAML file in Definitions/],
    [
      'a YAML bomb',
      changed(
        SIMPLE,
        /^/,
        'a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n',
      ),
      /flavour_simple\.yaml expands its aliases/,
    ],
    ['no vnfdId', changed(vnfdFile, 'descriptor_id', 'description_id'), /descriptor_id/],
    [
      'no flavour',
      new Map([...samplePackageFiles()].filter(([path]) => !path.includes('/flavour_'))),
      /needs a flavour/,
    ],
    ['a flavour twice', changed(SIMPLE, 'flavour_id: simple', 'flavour_id: complex'), /Two files .* flavour complex/],
    [
      'an unknown default level',
      changed(SIMPLE, 'default_level: instantiation_level_1', 'default_level: nine'),
      /default_level nine is not one/,
    ],
    [
      'a level that nobody defined',
      changed(SIMPLE, /instantiation_level_2: \{ number/, 'level_9: { number'),
      /the level level_9 is not in InstantiationLevels/,
    ],
    [
      'a count that is no number',
      changed(SIMPLE, '{ number_of_instances: 4', '{ number_of_instances: many'),
      /workerNode_instantiation_levels, levels\.instantiation_level_2\.number_of_instances/,
    ],
    [
      'an unbound connection point',
      changed(SIMPLE, 'virtual_binding: workerNode', 'virtual_binding: nobody'),
      /workerNode_CP1: its virtual_binding nobody/,
    ],
    [
      'an image size without unit',
      changed(SIMPLE, 'size: 2 GB', 'size: 2 loaves'),
      /masterNode, sw_image_data, size: must be a size such as "2 GB"/,
    ],
  ])('%s', (_what, files, detail) => {
    expect(() => readVnfd(files)).toThrow(
      expect.objectContaining({ code: 'CSAR_INVALID', message: expect.stringMatching(detail) }),
    );
  });

  it('takes identity from the defaults of the node type, as Tacker packages often have it', () => {
    expect(readVnfd(changed(vnfdFile, '        provider: Company\n', '')).provider).toBe('Company');
  });

  it('finds the path of an image in the package', () => {
    const image =
      '      artifacts:\n        sw_image:\n          type: tosca.artifacts.nfv.SwImage\n          file: ../Files/images/ubuntu.qcow2\n';
    const files = changed(SIMPLE, /( {6}capabilities:)/, `${image}$1`);
    expect(flavour(readVnfd(files), 'simple').softwareImages[0]).toMatchObject({
      id: 'masterNode',
      imagePath: 'Files/images/ubuntu.qcow2',
      size: 2e9,
    });
  });

  it.each([
    ['without a type', '../Files/images/ubuntu.qcow2', 'Files/images/ubuntu.qcow2'],
    ['at a URI', 'https://images.example/ubuntu.qcow2', 'https://images.example/ubuntu.qcow2'],
  ])('takes an image in the short notation, %s', (_what, file, imagePath) => {
    const files = changed(SIMPLE, /( {6}capabilities:)/, `      artifacts:\n        image: ${file}\n$1`);
    expect(flavour(readVnfd(files), 'simple').softwareImages[0]).toMatchObject({ id: 'masterNode', imagePath });
  });

  it('leaves out deltas that the aspect does not have', () => {
    const { aspects } = flavour(
      readVnfd(changed(SIMPLE, 'step_deltas: [ delta_1 ]', 'step_deltas: [ delta_9 ]')),
      'simple',
    );
    expect(aspects).toEqual([{ id: 'workerNode_scale', maxScaleLevel: 2, vduDeltas: {} }]);
  });

  it('reads VDUs of derived types, and capabilities without virtual_compute', () => {
    const types = `node_types:\n  my.Base: { derived_from: tosca.nodes.nfv.Vdu.Compute }\n  my.Vdu: { derived_from: my.Base }\n`;
    const files = changed(SIMPLE, 'type: tosca.nodes.nfv.Vdu.Compute', 'type: my.Vdu');
    expect(
      vduIds(flavour(readVnfd(files.set('Definitions/mine.yaml', `tosca_definitions_version: x\n${types}`)), 'simple')),
    ).toEqual(['masterNode', 'workerNode']);
  });

  it('takes the flavour from a substitution filter (TOSCA 1.3)', () => {
    const filter = 'substitution_filter:\n      properties:\n        - flavour_id: { equal: simple }\n';
    const { flavours } = readVnfd(changed(SIMPLE, /properties:\s+flavour_id: simple\n/, filter));
    expect(flavours.map(({ id }) => id)).toEqual(['complex', 'simple']);
  });
});

describe('hooks of LCM operations', () => {
  const node = (interfaces: string) =>
    changed(SIMPLE, /( {2}node_templates:\n)/, `$1    Hooks:\n      type: my.VNF\n${interfaces}`);

  it('have the script that an artifact of their node names', () => {
    const files = node(
      [
        '      interfaces:',
        '        Vnflcm:',
        '          instantiate_end: { implementation: mine }',
        '          scale_start: { implementation: { primary: other } }',
        '          heal_end: { implementation: absent }',
        '      artifacts:',
        '        mine: { type: tosca.artifacts.Implementation.Python, file: ../Scripts/mine.py }',
        '        other: { type: tosca.artifacts.File, file: ../Scripts/other.sh }\n',
      ].join('\n'),
    );
    const { hooks } = flavour(readVnfd(files), 'simple');
    expect(hooks).toEqual(
      expect.arrayContaining([
        { name: 'instantiate_end', implementation: 'mine', script: 'Scripts/mine.py' },
        { name: 'scale_start', implementation: 'other' },
        { name: 'heal_end', implementation: 'absent' },
      ]),
    );
  });

  it('count once: the first node that names one has it', () => {
    const files = node('      interfaces: { Vnflcm: { instantiate_end: { implementation: mine } } }\n');
    const { hooks } = flavour(readVnfd(files), 'simple');
    expect(hooks.filter(({ name }) => name === 'instantiate_end')).toEqual([
      { name: 'instantiate_end', implementation: 'mine' },
    ]);
  });
});

describe('a flavour without instantiation levels', () => {
  const ONE = `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings: { properties: { flavour_id: one } }
  node_templates:
    VNF: { type: my.VNF, properties: { descriptor_id: i, descriptor_version: v, provider: p, product_name: n, software_version: s } }
    a: { type: tosca.nodes.nfv.Vdu.Compute, properties: { vdu_profile: { min_number_of_instances: 5 } } }
    b: { type: tosca.nodes.nfv.Vdu.Compute, properties: { vdu_profile: { min_number_of_instances: 2 } } }
    c: { type: tosca.nodes.nfv.Vdu.Compute }
  policies:
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 3 } }, targets: [a] }
`;

  it('has the initial delta of each VDU, or the least number of its profile, or one', () => {
    const of = flavour(readVnfd({ 'vnf.yaml': ONE }), 'one');
    expect(['a', 'b', 'c'].map((id) => vduCount(of, id))).toEqual([3, 2, 1]);
    expect(() => vduCount(of, 'a', 'large')).toThrow(/has no level "large"; it has none/);
  });

  it('and a VDU that no level counts has that number in each', () => {
    const levels = `    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { levels: { l: {} }, default_level: l } }
    - of_b: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { l: { number_of_instances: 7 } } }, targets: [b] }
`;
    const of = flavour(readVnfd({ 'vnf.yaml': ONE + levels }), 'one');
    expect(['a', 'b', 'c'].map((id) => vduCount(of, id))).toEqual([3, 7, 1]);
  });
});

describe('a VNFD in one file', () => {
  const ONE = `tosca_definitions_version: tosca_simple_yaml_1_2
imports: [ etsi_nfv_sol001_vnfd_types.yaml, https://forge.etsi.org/types.yaml, { file: more/types.yaml } ]
topology_template:
  inputs: { maker: { type: string, default: Somebody } }
  substitution_mappings: { node_type: my.VNF }
  node_templates:
    VNF: { type: my.VNF, properties: { flavour_id: one, descriptor_id: { get_input: id }, provider: { get_input: maker }, software_version: 1.0 } }
    VDU1: { type: tosca.nodes.nfv.Vdu.Compute, capabilities: { monitoring: {} } }
`;
  const TYPES = `tosca_definitions_version: tosca_simple_yaml_1_2
node_types:
  my.VNF:
    derived_from: tosca.nodes.nfv.VNF
    properties:
      descriptor_id: { default: b1bb0ce7-ebca-4fa7-95ed-4840d70a1177 }
      descriptor_version: { default: '2.0' }
      product_name: { default: Product }
`;
  const META = 'TOSCA-Meta-File-Version: 1.0\nEntry-Definitions: vnf/top.yaml\n';

  it.each([
    ['at the root', { 'top.yaml': ONE, 'more/types.yaml': TYPES, 'Definitions/other.yaml': 'a: [' }],
    ['where TOSCA.meta says', { 'TOSCA-Metadata/TOSCA.meta': META, 'vnf/top.yaml': ONE, 'vnf/more/types.yaml': TYPES }],
  ])('%s is read with what it imports', (_where, files) => {
    const { flavours, declaredParameters: _, ...identity } = readVnfd(files);
    expect(identity).toEqual({
      vnfdId: 'b1bb0ce7-ebca-4fa7-95ed-4840d70a1177',
      provider: 'Somebody',
      productName: 'Product',
      softwareVersion: '1',
      vnfdVersion: '2.0',
    });
    expect(flavours.map(({ id, vdus }) => [id, ...vdus.map((vdu) => vdu.id)])).toEqual([['one', 'VDU1']]);
  });

  it('is refused beside another one', () => {
    expect(() => readVnfd({ 'top.yaml': ONE, 'other.yaml': ONE })).toThrow(/several YAML files at its root/);
  });
});
