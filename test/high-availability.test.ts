import { afterAll, beforeAll, expect, it } from 'vitest';
import { completeOperation, instantiateCluster } from './testing/operations.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

let system: System;
let vnfdId: string;
/** The instance with five control-plane nodes. */
let five: string;
beforeAll(async () => {
  system = await startSystem({ hosts: 5 });
  vnfdId = await onboardSample(system.http);
});
afterAll(() => system.stop());

it("makes the guide's complex cluster: three control-plane nodes behind a virtual address, two workers", async () => {
  const id = await instantiateCluster(system, { vnfdId, flavour: 'complex', timeoutMs: 90_000 });
  const [cluster] = system.simulator.nodes.clusters();
  expect(
    Object.keys(cluster?.nodes ?? {})
      .map((name) => name.replace(/\d.*$/, ''))
      .sort(),
  ).toEqual(['master', 'master', 'master', 'worker', 'worker']);
  expect(cluster?.etcd.members.filter(({ started, learner }) => started && !learner).length).toBe(3);
  expect(cluster?.endpoint).toMatch(/:16443$/);
  const { data: status } = await system.http.get(`/vnflow/v1/vnf_instances/${id}/cluster?look=true`);
  expect(status.etcd).toEqual({ members: 3, healthy: 3, majority: 2, tolerates: 1 });
  expect(status.nodes).toHaveLength(5);
  for (const node of status.nodes)
    expect(node).toMatchObject({ ready: { status: true }, kubelet: 'v1.36.4', vnfcId: expect.any(String) });
  await completeOperation(system.http, { id, task: 'terminate', body: { terminationType: 'FORCEFUL' } });
}, 120_000);

it("makes five control-plane nodes by the package's level, each load balancer with five backends and no statistics page", async () => {
  five = await createInstance(system.http, vnfdId);
  const guide = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  const body = { ...guide, instantiationLevelId: 'instantiation_level_3' };
  await completeOperation(system.http, { id: five, task: 'instantiate', body, timeoutMs: 90_000 });
  const cluster = system.simulator.nodes.clusters().at(-1);
  expect(cluster?.etcd.members.filter(({ started, learner }) => started && !learner).length).toBe(5);
  const masters = system.simulator.nodes.list().filter(({ hostname }) => hostname.startsWith('master'));
  expect(masters.length).toBe(5);
  for (const master of masters) {
    const haproxy = master.file('/etc/haproxy/haproxy.cfg') ?? '';
    expect(haproxy.match(/^\s+server .*:6443 .*$/gm)?.length).toBe(5);
    expect(haproxy).not.toMatch(/^\s*stats (enable|uri)/m);
  }
}, 120_000);

it('heals two dead of five unattended, one of which runs on but is unreachable', async () => {
  const cluster = system.simulator.nodes.clusters().at(-1);
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${five}`);
  const masters: { id: string; vnfcResourceInfoId: string; vduId: string }[] = data.instantiatedVnfInfo.vnfcInfo.filter(
    ({ vduId }: { vduId: string }) => vduId === 'masterNode',
  );
  const [first, second, ...survivors] = masters;
  if (!first || !second) throw new Error('five control-plane nodes');
  system.simulator.nodes.hypervisor.power(first.vnfcResourceInfoId, 'stop');
  system.simulator.nodes.faults.add({ kind: 'unreachable', node: second.vnfcResourceInfoId });
  const ended = await settled(
    system.http,
    operationOf(
      await system.http.post(`/vnflcm/v2/vnf_instances/${five}/heal`, { vnfcInstanceId: [first.id, second.id] }),
    ),
    { timeoutMs: 90_000 },
  );
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const servers = cluster?.etcd.members.map(({ server }) => server) ?? [];
  expect(cluster?.etcd.members.every(({ started, learner }) => started && !learner)).toBe(true);
  expect(servers).toHaveLength(5);
  expect(servers).toEqual(expect.arrayContaining(survivors.map(({ vnfcResourceInfoId }) => vnfcResourceInfoId)));
  expect(servers.map((server) => system.simulator.nodes.node(server)?.power)).toEqual(Array(5).fill('on'));
  for (const server of servers) {
    const haproxy = system.simulator.nodes.node(server)?.file('/etc/haproxy/haproxy.cfg') ?? '';
    expect(haproxy.match(/^\s+server .*:6443 .*$/gm)?.length).toBe(5);
  }
}, 120_000);
