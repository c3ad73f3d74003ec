import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

const PLAIN = '6d1f0c52-5a0e-4a5b-9a53-2f6f5a7c1e10';

let system: System;
let id: string;
let empty: ReturnType<System['simulator']['fingerprint']>;
beforeAll(async () => {
  system = await startSystem();
  id = await createInstance(system.http, await onboardSample(system.http, path.join('samples', 'plain')));
  empty = system.simulator.fingerprint();
}, 90_000);
afterAll(() => system.stop());

const servers = () => Object.values(system.simulator.cloud.state.servers);
const logins = () => system.simulator.ledger.entries().filter(({ kind }) => kind === 'login' || kind === 'command');
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
const run = async (operation: string, body: object) =>
  settled(system.http, operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/${operation}`, body)));
const ids = () =>
  servers()
    .map((server) => server.id)
    .sort();

it('a VNF without a management driver is instantiated: a stack of two servers, and no login', async () => {
  const request = guideRequest('instantiate-plain.json', system.simulator.authUrl);
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, { operation: 'INSTANTIATE', request });
  expect(plan.data.steps.map((step: { id: string }) => step.id)).toEqual(['applyStack', 'discover']);
  expect(await run('instantiate', request)).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toHaveLength(2);
  expect((await show()).instantiatedVnfInfo.vnfcInfo).toHaveLength(2);
  expect(logins()).toEqual([]);
});

it('scales out and in', async () => {
  const before = ids();
  expect(await run('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'COMPLETED',
    resourceChanges: { affectedVnfcs: [{ vduId: 'web', changeType: 'ADDED' }] },
  });
  expect(servers()).toHaveLength(3);
  expect(await run('scale', { type: 'SCALE_IN', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'COMPLETED',
  });
  expect(ids()).toEqual(before);
});

it('rolls a scale out back that failed', async () => {
  const before = ids();
  const { state } = system.simulator.cloud;
  const [server] = Object.values(state.servers);
  state.quotas = { [server?.projectId ?? '']: { instances: before.length, cores: -1, ram: -1 } };
  expect(await run('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'ROLLED_BACK',
    error: { code: 'CAPACITY_MISSING' },
  });
  state.quotas = {};
  expect(ids()).toEqual(before);
});

it('heals one VNFC: its server is replaced, the other one stays', async () => {
  const before = ids();
  const [vnfc] = (await show()).instantiatedVnfInfo.vnfcInfo;
  const request = { vnfcInstanceId: [vnfc.id] };
  const live = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
    operation: 'HEAL',
    request,
    live: true,
  });
  expect(live.data.observed, 'there is no cluster to be asked').toEqual({});
  expect(await run('heal', request)).toMatchObject({ operationState: 'COMPLETED' });
  expect(ids().filter((server) => before.includes(server))).toEqual(
    before.filter((server) => server !== vnfc.vnfcResourceInfoId),
  );
  expect(servers()).toHaveLength(2);
});

it('heals all: the stack is deleted and created again', async () => {
  const before = ids();
  expect(await run('heal', { additionalParams: { all: true } })).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toHaveLength(2);
  expect(ids().filter((server) => before.includes(server))).toEqual([]);
});

it('keeps the network that the request has in place of its own when it scales', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-managed-'));
  const vnfdId = 'd2bb0ce7-ebca-4fa7-95ed-4840d70a1191';
  const change = (file: string, ...pairs: [string, string][]) => {
    const name = path.join(folder, file);
    const text = pairs.reduce((now, [old, fresh]) => now.replaceAll(old, fresh), readFileSync(name, 'utf8'));
    writeFileSync(name, text);
  };
  let other = '';
  try {
    cpSync(path.join('samples', 'plain'), folder, { recursive: true });
    for (const name of ['plain.vnfd.yaml', 'plain_types.yaml', 'flavour_default.yaml']) {
      change(`Definitions/${name}`, [PLAIN, vnfdId]);
    }
    change('Definitions/flavour_default.yaml', [
      '    web_CP1:\n',
      `    internal:
      type: tosca.nodes.nfv.VnfVirtualLink
      properties: { connectivity_type: { layer_protocols: [ ipv4 ] } }
    web_CP2:
      type: tosca.nodes.nfv.VduCp
      properties: { layer_protocols: [ ipv4 ], order: 1 }
      requirements: [ { virtual_binding: web }, { virtual_link: internal } ]
    web_CP1:
`,
    ]);
    change('BaseHOT/default/default_hot_top.yaml', [
      'resources:\n',
      `resources:
  internal: { type: 'OS::Neutron::Net' }
  internal_subnet:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: internal }, cidr: 10.77.0.0/24 }
`,
    ]);
    change('BaseHOT/default/default_hot_top.yaml', [
      '      net1:',
      '      net2: { get_resource: internal }\n      net1:',
    ]);
    change(
      'BaseHOT/default/nested/default_nested_web.yaml',
      ['  net1:\n    type: string', '  net1:\n    type: string\n  net2:\n    type: string'],
      [
        '        - port: { get_resource: web_CP1 }',
        '        - port: { get_resource: web_CP1 }\n        - port: { get_resource: web_CP2 }',
      ],
      [
        '  web_CP1:\n',
        '  web_CP2:\n    type: OS::Neutron::Port\n    properties:\n      network: { get_param: net2 }\n\n  web_CP1:\n',
      ],
    );
    other = await createInstance(system.http, await onboardSample(system.http, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const at = (task: string, body: object) =>
    system.http.post(`/vnflcm/v2/vnf_instances/${other}/${task}`, body).then(operationOf);
  const { extVirtualLinks, ...request } = guideRequest('instantiate-plain.json', system.simulator.authUrl);
  const theirs = extVirtualLinks[0].resourceId;
  const managed = [{ id: 'm1', vnfVirtualLinkDescId: 'internal', resourceId: theirs }];
  const body = { ...request, extVirtualLinks, extManagedVirtualLinks: managed };
  expect(await settled(system.http, await at('instantiate', body))).toMatchObject({ operationState: 'COMPLETED' });
  const scaled = await settled(system.http, await at('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' }));
  expect(scaled).toMatchObject({ operationState: 'COMPLETED' });
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${other}`);
  const [link] = data.instantiatedVnfInfo.extManagedVirtualLinkInfo;
  expect(link).toMatchObject({ id: 'm1', vnfVirtualLinkDescId: 'internal', networkResource: { resourceId: theirs } });
  expect(link.vnfLinkPorts).toHaveLength(3);
  const end = await settled(system.http, await at('terminate', { terminationType: 'FORCEFUL' }));
  expect(end).toMatchObject({ operationState: 'COMPLETED' });
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${other}`)).status).toBe(204);
}, 60_000);

it('is terminated: nothing is left, and nothing was ever done inside a server', async () => {
  expect(await run('terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toEqual([]);
  expect(system.simulator.fingerprint()).toEqual(empty);
  expect(logins()).toEqual([]);
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
});
