import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { baseHot } from './hot.ts';
import { separatedVdus } from './separated-vdus.ts';

const VDUS = ['masterNode', 'workerNode'];

/** The templates of a flavour of a sample package. */
function sample(name: string, flavour: string) {
  const root = new URL(`../../samples/${name}/`, import.meta.url);
  const paths = [
    `${flavour}_hot_top.yaml`,
    ...['master', 'worker'].map((role) => `nested/${flavour}_nested_${role}.yaml`),
  ];
  const files = paths.map((path) => `BaseHOT/${flavour}/${path}`);
  return baseHot(new Map(files.map((path) => [path, readFileSync(new URL(path, root), 'utf8')])), flavour);
}

describe('the VDUs whose servers a server group keeps apart', () => {
  it.each([
    ['kubernetes-cluster-v1', 'podaffinity', VDUS],
    ['kubernetes-cluster-v1', 'complex', []],
    ['kubernetes-cluster-v1', 'simple', []],
    ['kubernetes-cluster', 'complex', VDUS],
    ['kubernetes-cluster', 'simple', []],
  ])('in %s, flavour %s', (name, flavour, expected) => {
    expect(separatedVdus(sample(name, flavour), VDUS)).toEqual(expected);
  });

  const top = (policy: string, group = 'srvgroup') => ({
    topHot: {
      name: 'top.yaml',
      text: `heat_template_version: 2018-08-31
resources:
  VDU1: {type: "OS::Nova::Server", properties: {scheduler_hints: {group: {get_resource: ${group}}}}}
  VDU2: {type: "OS::Nova::Server"}
  srvgroup: {type: "OS::Nova::ServerGroup", properties: {policies: [${policy}]}}
`,
    },
    files: {},
  });

  it('counts a server at the top, and a group that only prefers different hosts', () => {
    expect(separatedVdus(top('anti-affinity'), ['VDU1', 'VDU2'])).toEqual(['VDU1']);
    expect(separatedVdus(top('soft-anti-affinity'), ['VDU1', 'VDU2'])).toEqual(['VDU1']);
  });

  it('does not count a group that keeps servers together, nor one that no server is in', () => {
    expect(separatedVdus(top('affinity'), ['VDU1'])).toEqual([]);
    expect(separatedVdus(top('anti-affinity', 'another'), ['VDU1'])).toEqual([]);
  });
});
