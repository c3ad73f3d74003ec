import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findKeptTemplates } from '../planning/templates.ts';
import { secretName } from '../store/secrets.ts';
import { asV1 } from './testing/api/v1-request.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

/** The life of a VNF whose package has no Heat template, through both versions of the API. */

let system: System;
let id: string;
let vnfdId: string;
let empty: ReturnType<System['simulator']['fingerprint']>;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http, path.join('samples', 'tosca-only'));
  id = await createInstance(system.http, vnfdId);
  empty = system.simulator.fingerprint();
}, 90_000);
afterAll(() => system.stop());

const state = () => system.simulator.cloud.state;
const servers = () => Object.values(state().servers);
const named = (name: string) => servers().filter((server) => server.name === name);
const ids = () =>
  servers()
    .map((server) => server.id)
    .sort();
const volumesOf = (name: string) =>
  named(name)
    .flatMap(({ volumeIds }) => volumeIds)
    .sort();
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
const request = () => guideRequest('instantiate-tosca-only.json', system.simulator.authUrl);
const run = async (operation: string, body: object, version = 'v2') =>
  settled(
    system.http,
    operationOf(await system.http.post(`/vnflcm/${version}/vnf_instances/${id}/${operation}`, body)),
  );
const planned = async (operation: string, body: object) =>
  (
    await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
      operation,
      request: body,
      template: true,
    })
  ).data;
const flavorOf = (name: string) => state().flavors[named(name)[0]?.flavorId ?? ''];

it('a request without a network for the external connection point is refused before anything is made', async () => {
  const { extVirtualLinks: _, ...without } = request();
  const answer = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, without);
  expect(answer.data).toMatchObject({ status: 400, detail: expect.stringContaining('cpdId web_CP1') });
  const userData = { 'lcm-operation-user-data': './UserData/a.py', 'lcm-operation-user-data-class': 'DefaultUserData' };
  const other = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, {
    ...request(),
    additionalParams: userData,
  });
  expect(other.data).toMatchObject({ status: 400, detail: expect.stringContaining('the package has no BaseHOT/') });
});

it('a user who may create no flavor is told what is needed and what there is, and nothing is left', async () => {
  const large = Object.values(state().flavors).find(({ name }) => name === 'm1.large');
  delete state().flavors[large?.id ?? ''];
  const { vim1 } = request().vimConnectionInfo;
  const member = { vim1: { ...vim1, accessInfo: { ...vim1.accessInfo, username: 'nfv_member' } } };
  const failed = await run('instantiate', { ...request(), vimConnectionInfo: member });
  expect(failed).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: {
      code: 'COMPUTE_FLAVOR_MISSING',
      detail: expect.stringMatching(/db needs 3 cores, 2048 MiB of memory, 0 GiB of disk.*m1\.medium \(2 cores/),
    },
  });
  const path = `/vnflcm/v2/vnf_lcm_op_occs/${failed.id}`;
  expect((await system.http.post(`${path}/rollback`, {})).status).toBe(202);
  expect(await settled(system.http, path)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(servers()).toEqual([]);
});

it('is instantiated from the template that the plan shows, with the smallest flavors and one of its own', async () => {
  const plan = await planned('INSTANTIATE', request());
  expect(plan.template).toMatchObject({
    generated: true,
    top: expect.stringContaining('OS::Neutron::Subnet'),
    nested: { 'web.yaml': expect.stringContaining('OS::Nova::Server') },
  });
  expect(await run('instantiate', request())).toMatchObject({ operationState: 'COMPLETED' });
  expect([named('web').length, named('db').length]).toEqual([2, 1]);
  expect(flavorOf('web')).toMatchObject({ name: 'm1.small' });
  expect(flavorOf('db')).toMatchObject({ name: `vnflow-${id}-db`, vcpus: 3, ramMb: 2048 });
  expect(volumesOf('web')).toHaveLength(2);
  expect(named('db')[0]?.bootVolumeId).toBe(volumesOf('db')[0]);
  expect(new Set(named('web').map(({ host }) => host)).size, 'anti-affinity').toBe(2);
  const ports = named('web').map(({ portIds }) => portIds.map((port) => state().ports[port]));
  for (const [outside, inside] of ports) {
    expect(inside?.fixedIps[0]?.address).toMatch(/^10\.77\.0\./);
    const rules = outside?.securityGroups.flatMap((group) => state().securityGroups[group]?.rules ?? []);
    expect(rules).toContainEqual(expect.objectContaining({ direction: 'ingress', port_range_max: 80 }));
  }
  const { vnfcInfo, vnfcResourceInfo, virtualStorageResourceInfo, vnfVirtualLinkResourceInfo } = (await show())
    .instantiatedVnfInfo;
  expect(vnfcInfo).toHaveLength(3);
  const storages: string[] = virtualStorageResourceInfo.map((storage: { id: string }) => storage.id);
  expect(storages.sort()).toEqual([...volumesOf('web'), ...volumesOf('db')].sort());
  expect(vnfcResourceInfo.flatMap((vnfc: { storageResourceIds: string[] }) => vnfc.storageResourceIds).sort()).toEqual(
    storages,
  );
  expect(vnfVirtualLinkResourceInfo).toHaveLength(1);
  const [link] = vnfVirtualLinkResourceInfo;
  expect(state().networks[link.id]?.name).toBeDefined();
  const linked = link.vnfLinkPorts.map((port: { id: string }) => state().ports[port.id]?.networkId);
  expect(linked).toEqual([link.id, link.id, link.id]);
});

it('scales out with the flavor that the others have, although a smaller one has come, and in again', async () => {
  const before = ids();
  const small = { id: 'f-1', name: 'a.small', vcpus: 1, ramMb: 1024, diskGb: 10 };
  state().flavors[small.id] = small;
  expect(await run('scale', { type: 'SCALE_OUT', aspectId: 'web_scale' })).toMatchObject({
    operationState: 'COMPLETED',
    resourceChanges: { affectedVnfcs: [{ vduId: 'web', changeType: 'ADDED' }] },
  });
  expect(named('web').map(({ flavorId }) => state().flavors[flavorId]?.name)).toEqual(Array(3).fill('m1.small'));
  const inside = named('web').map(({ portIds: [, port = ''] }) => state().ports[port]?.networkId);
  expect(new Set(inside).size, 'one internal network').toBe(1);
  delete state().flavors[small.id];
  expect(await run('scale', { type: 'SCALE_IN', aspectId: 'web_scale', numberOfSteps: '1' }, 'v1')).toMatchObject({
    operationState: 'COMPLETED',
  });
  expect(ids()).toEqual(before);
});

it('scales with the templates that it keeps, also when this release would generate others', async () => {
  const kept = await findKeptTemplates(system, id);
  const text = `${kept?.topHot.text}  of_another_release:\n    type: OS::Heat::RandomString\n`;
  const older = { ...kept, topHot: { ...kept?.topHot, text } };
  await system.secrets.put(secretName.generatedTemplates(id), older, id);
  const request = { type: 'SCALE_OUT', aspectId: 'web_scale' };
  expect((await planned('SCALE', request)).template.top).toBe(text);
  expect(await run('scale', request)).toMatchObject({ operationState: 'COMPLETED' });
  const names = Object.values(state().stacks).flatMap(({ resources }) => Object.keys(resources));
  expect(names).toContain('of_another_release');
  expect(await run('scale', { ...request, type: 'SCALE_IN' })).toMatchObject({ operationState: 'COMPLETED' });
});

it('heals one VNFC: its server is new, its ports and volumes are the old ones', async () => {
  const before = ids();
  const volumes = [volumesOf('web'), volumesOf('db')];
  const { vnfcInfo } = (await show()).instantiatedVnfInfo;
  const db = vnfcInfo.find((vnfc: { vduId: string }) => vnfc.vduId === 'db');
  const port = named('db')[0]?.portIds[0];
  expect(await run('heal', { vnfcInstanceId: [db.id] })).toMatchObject({ operationState: 'COMPLETED' });
  expect(ids().filter((server) => !before.includes(server))).toEqual(named('db').map((server) => server.id));
  expect([volumesOf('web'), volumesOf('db')]).toEqual(volumes);
  expect(named('db')[0]?.portIds).toEqual([port]);
});

it('heals all: the stack is made anew from the template that it had', async () => {
  const before = ids();
  const shown = (await planned('HEAL', {})).template;
  expect(await run('heal', { additionalParams: { all: true } })).toMatchObject({ operationState: 'COMPLETED' });
  expect(ids().filter((server) => before.includes(server))).toEqual([]);
  expect(servers()).toHaveLength(3);
  expect((await planned('HEAL', {})).template).toEqual(shown);
});

it('is terminated: no server, volume, network, security group or flavor is left', async () => {
  expect(await run('terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
  const names = Object.values(state().flavors).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('vnflow-'))).toEqual([]);
  const { flavors: _, ...left } = system.simulator.fingerprint().content;
  const { flavors: __, ...were } = empty.content;
  expect(left).toEqual(were);
});

it('lives through version 1 of the API, too', async () => {
  const created = await system.http.post('/vnflcm/v1/vnf_instances', { vnfdId });
  id = created.data.id;
  expect(await run('instantiate', asV1(request()), 'v1')).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toHaveLength(3);
  const web = (await show()).instantiatedVnfInfo.vnfcInfo.find((vnfc: { vduId: string }) => vnfc.vduId === 'web');
  expect(await run('heal', { vnfcInstanceId: [web.vnfcResourceInfoId] }, 'v1')).toMatchObject({
    operationState: 'COMPLETED',
  });
  expect(await run('terminate', { terminationType: 'FORCEFUL' }, 'v1')).toMatchObject({ operationState: 'COMPLETED' });
  expect(servers()).toEqual([]);
});
