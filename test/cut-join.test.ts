import { afterAll, beforeAll, expect, it } from 'vitest';
import { instantiateCluster } from './testing/operations.ts';
import { operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await instantiateCluster(system, { flavour: 'complex', timeoutMs: 120_000 });
}, 180_000);
afterAll(() => system.stop());

const cluster = () => {
  const found = system.simulator.nodes.clusters()[0];
  if (!found) throw new Error('no cluster');
  return found;
};

it('a control-plane node that loses its power in the middle of its join comes back, is cleaned, and joins without help', async () => {
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const victim = data.instantiatedVnfInfo.vnfcInfo.find(({ vduId }: { vduId: string }) => vduId === 'masterNode');
  system.simulator.nodes.faults.add({ kind: 'etcd-slow', seconds: 400, times: 1 });
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const request = { vnfcInstanceId: [victim.id] };
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, request));
  // its Node is Ready, its member is on the list and has never run
  await expect.poll(() => cluster().etcd.members.filter(({ started }) => !started).length, { timeout: 90_000 }).toBe(1);
  const joining = cluster().etcd.members.find(({ started }) => !started)?.server ?? '';
  await new Promise((resolve) => setTimeout(resolve, 200));
  await system.simulator.nodes.hypervisor.power(joining, 'stop');
  await system.simulator.nodes.hypervisor.power(joining, 'start');

  const ended = await settled(system.http, operation, { timeoutMs: 170_000 });
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
  expect(cluster().etcd.members.map(({ started }) => started)).toEqual([true, true, true]);
  expect(Object.keys(cluster().nodes)).toHaveLength(5);
  const joins = system.simulator.ledger.entries(seq).filter(({ what }) => what.startsWith('kubeadm join'));
  expect(joins.length).toBeGreaterThan(1);
}, 300_000);
