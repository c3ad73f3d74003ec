import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { instantiateCluster } from './testing/operations.ts';
import { guideRequest, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await instantiateCluster(system);
}, 90_000);
afterAll(() => system.stop());

const stepsOf = (operation: string) => `${operation.replace('/vnflcm/v2', '/vnflow/v1')}/steps`;

/** Holds a step back from the moment that the operation has a plan. */
async function holdBack(operation: string, stepId: string): Promise<void> {
  const pause = async () => (await system.http.post(`${stepsOf(operation)}/${stepId}/pause`)).status;
  await expect.poll(pause, { timeout: 10_000, interval: 20 }).toBe(200);
}

const KUBECTL = 'kubectl --kubeconfig /etc/kubernetes/admin.conf';
const nodeNames = () => Object.keys(system.simulator.nodes.clusters()[0]?.nodes ?? {});

const scale = (body: object) => system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, body);
/** All that exists, without the status words that any update changes, and without the hash over them. */
const cloud = () =>
  JSON.parse(
    JSON.stringify({ ...system.simulator.fingerprint(), hash: '' }).replaceAll(/(CREATE|UPDATE)_COMPLETE/g, 'COMPLETE'),
  );
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo;
const slots = (info: { vnfcResourceInfo: { vduId: string; metadata: { vdu_idx: number } }[] }) =>
  info.vnfcResourceInfo.map(({ vduId, metadata }) => `${vduId}-${metadata.vdu_idx}`).sort();

it("scales out by the guide's request: the new worker joins, the others are not even logged in to", async () => {
  const before = await show();
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const names = new Set(
    system.simulator.nodes
      .list()
      .filter(({ hostname }) => hostname.startsWith('worker'))
      .map(({ hostname }) => hostname),
  );
  const { additionalParams } = guideRequest('instantiate-simple.json', system.simulator.authUrl);
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
    operation: 'SCALE',
    request: { type: 'SCALE_OUT', aspectId: 'workerNode_scale', additionalParams },
  });
  expect(plan.data.steps.map((step: { id: string }) => step.id)).toEqual([
    'growStack',
    'discover',
    'prepareNode-workerNode-2',
    'joinWorker-workerNode-2',
    'snapshotEtcd',
  ]);
  const ended = await settled(
    system.http,
    operationOf(await scale({ type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 1, additionalParams })),
  );
  expect(ended.error).toBeUndefined();
  expect(ended).toMatchObject({
    operationState: 'COMPLETED',
    resourceChanges: { affectedVnfcs: [{ vduId: 'workerNode', changeType: 'ADDED' }] },
  });

  const after = await show();
  expect(slots(after)).toEqual(['masterNode-0', 'workerNode-0', 'workerNode-1', 'workerNode-2']);
  expect(after.scaleStatus).toEqual([{ aspectId: 'workerNode_scale', scaleLevel: 1 }]);
  expect(after.vnfcResourceInfo.map(({ id: server }: { id: string }) => server)).toEqual(
    expect.arrayContaining(before.vnfcResourceInfo.map(({ id: server }: { id: string }) => server)),
  );
  const touched = system.simulator.ledger
    .entries(seq)
    .filter(({ kind }) => kind === 'login' || kind === 'command')
    .map(({ where }) => where);
  expect([...new Set(touched)].filter((where) => names.has(where))).toEqual([]);
  expect(
    system.simulator.ledger.entries(seq).filter(({ kind, where }) => kind === 'login' && where.startsWith('master'))
      .length,
    'join credentials before, a backup afterwards',
  ).toBe(2);
});

it("refuses to scale beyond the aspect's levels, and an unknown aspect", async () => {
  const tooFar = await scale({ type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 5 });
  expect([tooFar.status, tooFar.data.detail]).toEqual([400, expect.stringContaining('numberOfSteps')]);
  const unknown = await scale({ type: 'SCALE_OUT', aspectId: 'masters' });
  expect([unknown.status, unknown.data.detail]).toEqual([400, expect.stringContaining('workerNode_scale')]);
  expect((await scale({ type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: '1' })).status).toBe(400);
});

it('a quota that is too small: the plan says so, and the scale out ends before anything is touched', async () => {
  const { state } = system.simulator.cloud;
  const [server] = Object.values(state.servers);
  state.quotas = { [server?.projectId ?? '']: { instances: Object.keys(state.servers).length, cores: -1, ram: -1 } };
  const before = cloud();
  const used = Object.keys(state.servers).length;
  const problem = `Quota for instances: ${used} of ${used} are used, 1 more are needed.`;
  const request = { type: 'SCALE_OUT', aspectId: 'workerNode_scale' };
  const body = { operation: 'SCALE', request, live: true };
  const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, body);
  expect(plan.data.observed).toEqual({ capacity: [problem] });
  const ended = await settled(system.http, operationOf(await scale(request)));
  expect(ended).toMatchObject({
    operationState: 'ROLLED_BACK',
    error: { code: 'CAPACITY_MISSING', status: 422, detail: problem },
  });
  expect(ended.error.remedy).toContain('openstack quota set');
  expect(cloud()).toEqual(before);
  state.quotas = {};
});

it('undoes a scale out that failed: the cloud is as it was', async () => {
  const before = cloud();
  const info = await show();
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm join', exitCode: 1, stderr: 'no' });
  const operation = operationOf(await scale({ type: 'SCALE_OUT', aspectId: 'workerNode_scale' }));
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'FAILED_TEMP' });
  system.simulator.nodes.faults.clear();
  await system.http.post(`${operation}/rollback`);
  const ended = await settled(system.http, operation);
  expect(ended.operationState).toBe('ROLLED_BACK');
  expect(await show()).toEqual(info);
  expect(cloud()).toEqual(before);
});

it('scales in from the newest: out of the cluster, then out of the stack, also when its kubelet starts again in between', async () => {
  const newest = (await show()).vnfcResourceInfo.find(
    ({ vduId, metadata }: { vduId: string; metadata: { vdu_idx: number } }) =>
      vduId === 'workerNode' && metadata.vdu_idx === 2,
  );
  const leaving = system.simulator.nodes.node(newest.computeResource.resourceId);
  if (!leaving) throw new Error('the newest worker has no machine');
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: `${KUBECTL} drain`, delaySeconds: 400 });
  const operation = operationOf(await scale({ type: 'SCALE_IN', aspectId: 'workerNode_scale' }));
  await holdBack(operation, 'shrinkStack');
  await expect.poll(() => nodeNames().includes(leaving.hostname), { timeout: 30_000 }).toBe(false);
  await sshExec(system.simulator.nodes, leaving.addresses[0] ?? '', { command: 'sudo systemctl restart kubelet' });
  expect(nodeNames(), 'it has registered again').toContain(leaving.hostname);
  await system.http.post(`${stepsOf(operation)}/shrinkStack/resume`);
  const ended = await settled(system.http, operation);
  expect(ended.error).toBeUndefined();
  expect(ended).toMatchObject({
    operationState: 'COMPLETED',
    resourceChanges: { affectedVnfcs: [{ changeType: 'REMOVED' }] },
  });
  expect(slots(await show())).toEqual(['masterNode-0', 'workerNode-0', 'workerNode-1']);
  expect(nodeNames()).toHaveLength(3);
  expect((await scale({ type: 'SCALE_IN', aspectId: 'workerNode_scale' })).status).toBe(400);
});
