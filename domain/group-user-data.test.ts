import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { instantiateRequest } from '../api/v1/translate-request.ts';
import { samplePackageFiles } from '../test/testing/domain/sample-package.ts';
import { defaultUserData, groupUserData, hasGroupSizes, withGroupSizes } from './group-user-data.ts';
import { readYaml } from './safe-yaml.ts';
import { baseHot, hotResources, type UserDataInput } from './standard-user-data.ts';
import { flavour, readVnfd } from './vnfd.ts';

const files = samplePackageFiles('kubernetes-cluster-v1');
const vnfd = readVnfd(files);

function input(flavourId: string, counts: Record<string, number>, from = files): UserDataInput {
  const body = new URL(`../samples/requests/v1/instantiate-${flavourId}.json`, import.meta.url);
  const request = instantiateRequest(JSON.parse(readFileSync(body, 'utf8')));
  return { ...baseHot(from, flavourId), flavour: flavour(vnfd, flavourId), counts, request };
}

/** The package with a text in one file replaced. */
function changed(path: string, from: string, to: string): Map<string, string> {
  const text = files.get(path) ?? '';
  expect(text).toContain(from);
  return new Map(files).set(path, text.replaceAll(from, to));
}

const TOP = 'BaseHOT/complex/complex_hot_top.yaml';
const capacity = (template: string, group: string) =>
  (readYaml(template) as { resources: Record<string, { properties: Record<string, unknown> }> }).resources[group]
    ?.properties['desired_capacity'];

it('fills nfv as KubernetesClusterUserData does, and sets each group to the count of the level', () => {
  const { template, parameters } = groupUserData(input('complex', { masterNode: 5, workerNode: 4 }));
  const network = '71a3fbd1-f31e-4c2c-b0e2-26267d64a9ee';
  expect(parameters).toEqual({
    nfv: {
      VDU: {
        masterNode: { flavor: 'm1.medium', image: 'masterNode-image' },
        workerNode: { flavor: 'm1.medium', image: 'workerNode-image' },
      },
      CP: { masterNode_CP1: { network }, workerNode_CP2: { network } },
    },
  });
  expect([capacity(template, 'master_instance'), capacity(template, 'worker_instance')]).toEqual([5, 4]);
});

it('fills the other parameters of the top HOT from additionalParams with their names', () => {
  const from = changed(
    TOP,
    '  nfv:\n    type: json\n',
    '  nfv:\n    type: json\n  zone:\n    type: string\n  worker_instance_desired_capacity:\n    type: number\n',
  );
  const asked = input('complex', { masterNode: 3, workerNode: 2 }, from);
  const additionalParams = { ...asked.request.additionalParams, zone: 'nova' };
  const { parameters } = groupUserData({ ...asked, request: { ...asked.request, additionalParams } });
  expect(parameters).toMatchObject({ zone: 'nova', worker_instance_desired_capacity: 2 });
});

it('changes the sizes of groups in a template and nothing else, and says whether they are right', () => {
  const template = { name: 'x', text: files.get(TOP) ?? '' };
  expect(hasGroupSizes(template, { master_instance: 3, worker_instance: 2 })).toBe(true);
  expect(hasGroupSizes(template, { worker_instance: 3 })).toBe(false);
  const text = withGroupSizes(template, { worker_instance: 3, vip_CP: 7 });
  expect(hasGroupSizes({ name: 'x', text }, { master_instance: 3, worker_instance: 3 })).toBe(true);
  expect(readYaml(withGroupSizes({ name: 'x', text }, { worker_instance: 2 }))).toEqual(readYaml(template.text));
});

it('finds the resources of a VDU: those of its members and those at the top', () => {
  const names = [...hotResources(baseHot(files, 'complex'), 'masterNode').keys()];
  expect(names).toEqual(expect.arrayContaining(['masterNode_CP1', 'vip_CP']));
  expect(names).not.toContain('workerNode_CP2');
});

it('says what does not fit before any stack is made', () => {
  const counts = { masterNode: 3, workerNode: 2 };
  const without = new Map(files);
  without.delete('BaseHOT/complex/nested/complex_nested_worker.yaml');
  expect(() => groupUserData(input('complex', counts, without))).toThrow('complex_nested_worker.yaml');
  expect(() => groupUserData(input('complex', { ...counts, workerNode: 9 }))).toThrow(
    /worker_instance: .* 9 workerNode.* 2 to 4/,
  );
  const other = changed(TOP, 'type: complex_nested_worker.yaml', 'type: complex_nested_master.yaml');
  expect(() => groupUserData(input('complex', counts, other))).toThrow('has members with the server workerNode');
  const asked = input('complex', counts);
  expect(() => groupUserData({ ...asked, request: { ...asked.request, extVirtualLinks: [] } })).toThrow(
    'masterNode_CP1',
  );
});

describe('DefaultUserData', () => {
  const HOT = 'BaseHOT/simple/simple_hot_top.yaml';

  it('gives a group the size of the level, also as the parameter desired_capacity of its VDU', () => {
    const from = changed(HOT, 'VDU, workerNode, flavor ]', 'VDU, workerNode, desired_capacity ]');
    const { template, parameters } = defaultUserData(input('simple', { masterNode: 1, workerNode: 2 }, from));
    expect(capacity(template, 'worker_instance')).toBe(2);
    expect(parameters.nfv['VDU']?.['workerNode']).toMatchObject({ desired_capacity: 2 });
  });

  it('takes a VDU without a group as the one resource of its name', () => {
    const text = [
      'heat_template_version: 2013-05-23',
      'parameters: { nfv: { type: json } }',
      'resources:',
      '  masterNode: { type: OS::Nova::Server, properties: { flavor: { get_param: [nfv, VDU, masterNode, computeFlavourId] } } }',
      '  workerNode: { type: OS::Nova::Server }',
    ].join('\n');
    const from = new Map(files).set(HOT, text);
    expect(defaultUserData(input('simple', { masterNode: 1, workerNode: 1 }, from)).parameters).toEqual({
      nfv: { VDU: { masterNode: { computeFlavourId: 'm1.medium' } } },
    });
    expect(() => defaultUserData(input('simple', { masterNode: 1, workerNode: 2 }, from))).toThrow(
      /makes one server of workerNode, and the level has 2\. Name StandardUserData/,
    );
    const without = new Map(files).set(HOT, text.replace('  workerNode:', '  other:'));
    expect(() => defaultUserData(input('simple', { masterNode: 1, workerNode: 1 }, without))).toThrow(
      /no resource has the name of the VDU workerNode/,
    );
  });
});
