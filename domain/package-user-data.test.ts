import { expect, it } from 'vitest';
import { changedStack, flavourDocuments, newStack, PackageUserData } from './package-user-data.ts';
import { readYaml } from './safe-yaml.ts';

const base = {
  topHot: { name: 'BaseHOT/simple/top.yaml', text: hot(1) },
  files: { 'web.yaml': 'heat_template_version: 2013-05-23\nresources: { web: { type: OS::Nova::Server } }\n' },
};

function hot(size: number): string {
  return [
    'heat_template_version: 2013-05-23',
    'resources:',
    '  group:',
    '    type: OS::Heat::AutoScalingGroup',
    `    properties: { desired_capacity: ${size}, resource: { type: web.yaml } }`,
  ].join('\n');
}

const sizeIn = (template: unknown) =>
  (readYaml(String(template)) as { resources: { group: { properties: { desired_capacity: number } } } }).resources.group
    .properties.desired_capacity;

it('version 1 gives the parameters: the templates are those of the package, the group has the size of the level', () => {
  const { template, files, parameters } = newStack({ contract: 1, result: { nfv: {}, a: 1 } }, base, { web: 3 });
  expect([sizeIn(template), files, parameters]).toEqual([3, base.files, { nfv: {}, a: 1 }]);
});

it('version 2 gives templates as text or as data', () => {
  const result = {
    template: readYaml(hot(1)) as Record<string, unknown>,
    files: { 'web.yaml': base.files['web.yaml'] },
  };
  expect(sizeIn(newStack({ contract: 2, result }, base, { web: 2 }).template)).toBe(2);
});

it('user data that returns nothing, or what is no stack, is refused', () => {
  expect(() => newStack({ contract: 2, result: null }, base, {})).toThrow(/returned nothing/);
  expect(PackageUserData.safeParse({ contract: 2, result: { parameters: [] } }).success).toBe(false);
  expect(PackageUserData.safeParse({ contract: 1, result: 'text' }).success).toBe(false);
});

it('a later operation merges template and nfv of version 2 over the stack, null removes', () => {
  const current = {
    template: { resources: { a: { type: 'x' }, b: { type: 'y' } } },
    nfv: { VDU: { web: { flavor: 'f' } } },
  };
  const result = {
    template: { resources: { b: null } },
    parameters: { nfv: { VDU: { web: { image: 'i' } } }, other: 'o' },
  } as const;
  const change = changedStack({ contract: 2, result: result }, {}, current);
  expect(readYaml(String(change.template))).toEqual({ resources: { a: { type: 'x' } } });
  expect(change.parameters).toEqual({ nfv: { VDU: { web: { flavor: 'f', image: 'i' } } }, other: 'o' });
});

it('a later operation of version 1 replaces parameters, and without a method for it nothing changes', () => {
  const current = { template: {}, nfv: { a: 1 } };
  expect(changedStack({ contract: 1, result: { nfv: { b: 2 } } }, { template: 't' }, current)).toEqual({
    template: 't',
    parameters: { nfv: { b: 2 } },
  });
  expect(changedStack({ contract: 1, result: null }, { template: 't' }, current)).toEqual({ template: 't' });
});

it('code reads the file of its flavour and its templates as data', () => {
  const files = new Map([
    [
      'vnfd.yaml',
      'tosca_definitions_version: x\ntopology_template: { substitution_mappings: { properties: { flavour_id: simple } } }',
    ],
    ['BaseHOT/simple/top.yaml', base.topHot.text],
    ['BaseHOT/simple/nested/web.yaml', base.files['web.yaml']],
  ]);
  expect(flavourDocuments(files)).toMatchObject({
    simple: {
      vnfd: { topology_template: {} },
      baseHot: { template: { resources: { group: {} } }, files: { 'web.yaml': { resources: { web: {} } } } },
    },
  });
});
