import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginOperation } from './testing/operations.ts';
import { GUIDE_VERSIONS } from './testing/packages/sample-with-parameters.ts';
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
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await createInstance(system.http, await onboardSample(system.http));
}, 60_000);
afterAll(() => system.stop());

const cluster = () => {
  const found = system.simulator.nodes.clusters()[0];
  if (!found) throw new Error('no cluster');
  return found;
};
const members = () => system.simulator.nodes.clusters()[0]?.etcd.members ?? [];

/**
 * Waits until etcd has a member that has never started, cuts the power of its node, and gives it back.
 * @returns id of the server
 */
async function cutPowerOfJoiningNode(): Promise<string> {
  await expect.poll(() => members().filter(({ started }) => !started).length, { timeout: 120_000 }).toBe(1);
  const joining = members().find(({ started }) => !started)?.server ?? '';
  await new Promise((resolve) => setTimeout(resolve, 200));
  await system.simulator.nodes.hypervisor.power(joining, 'stop');
  await system.simulator.nodes.hypervisor.power(joining, 'start');
  return joining;
}

/**
 * Lets a step begin only when another one is done. The installation of the network would count the simulated hours in
 * which this machine gets nothing done.
 */
async function runAfter(operation: string, { stepId, before }: { stepId: string; before: string }): Promise<void> {
  const at = operation.replace('/vnflcm/v2', '/vnflow/v1');
  const order = async (what: string) => (await system.http.post(`${at}/steps/${stepId}/${what}`)).status;
  await expect.poll(() => order('pause'), { timeout: 60_000 }).toBe(200);
  const stateOf = async (id: string) => {
    const { data } = await system.http.get(`${at}/timeline`);
    return data.steps.find((step: { id: string }) => step.id === id)?.state;
  };
  await expect.poll(() => stateOf(before), { timeout: 120_000 }).toBe('DONE');
  expect(await order('resume')).toBe(200);
}

it('the second control-plane node loses its power before its etcd has a manifest: the cluster is made all the same', async () => {
  system.simulator.nodes.faults.add({ kind: 'etcd-slow', seconds: 400, times: 1 });
  const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  // since 1.29, kubeadm adds a member that does not vote, and this cannot happen
  body.additionalParams.k8s_cluster_installation_param.install_parameters = GUIDE_VERSIONS;
  const operation = await beginOperation(system.http, id, 'instantiate', body);
  await runAfter(operation, { stepId: 'joinControlPlane-masterNode-1', before: 'installCni-masterNode-0' });
  const joining = await cutPowerOfJoiningNode();
  // two voters, one of which has never started: no majority, so nothing can be written and no member removed
  expect(members().map(({ started }) => started)).toEqual([true, false]);
  expect(members()[1]?.server).toBe(joining);
  const { id: clusterId } = cluster().etcd.members[0] ?? {};

  const ended = await settled(system.http, operation, { timeoutMs: 170_000 });
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
  expect(members().map(({ started }) => started)).toEqual([true, true, true]);
  expect(members()[0]?.id, 'etcd of the first node goes on with its data').toBe(clusterId);
  expect(Object.keys(cluster().nodes)).toHaveLength(5);
  for (const { server } of members()) {
    const manifest = system.simulator.nodes.node(server)?.file('/etc/kubernetes/manifests/etcd.yaml');
    expect(manifest).toContain('- etcd\n');
    expect(manifest).not.toContain('force-new-cluster');
  }
}, 300_000);

it('a control-plane node that loses its power in the middle of its join comes back, is cleaned, and joins without help', async () => {
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const victim = data.instantiatedVnfInfo.vnfcInfo.find(({ vduId }: { vduId: string }) => vduId === 'masterNode');
  system.simulator.nodes.faults.add({ kind: 'etcd-slow', seconds: 400, times: 1 });
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const request = { vnfcInstanceId: [victim.id] };
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, request));
  // its Node is Ready, its member is on the list and has never run
  await cutPowerOfJoiningNode();

  const ended = await settled(system.http, operation, { timeoutMs: 170_000 });
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
  expect(cluster().etcd.members.map(({ started }) => started)).toEqual([true, true, true]);
  expect(Object.keys(cluster().nodes)).toHaveLength(5);
  const joins = system.simulator.ledger.entries(seq).filter(({ what }) => what.startsWith('kubeadm join'));
  expect(joins.length).toBeGreaterThan(1);
}, 300_000);
