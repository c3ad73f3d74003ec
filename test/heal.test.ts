import { afterAll, beforeAll, expect, it } from 'vitest';
import { instantiateCluster } from './testing/operations.ts';
import { operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await instantiateCluster(system);
}, 90_000);
afterAll(() => system.stop());

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcResourceInfoId: string;
}

const heal = (body: object) => system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, body);
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo;
const vnfcs = async (vduId: string): Promise<Vnfc[]> =>
  (await show()).vnfcInfo.filter((vnfc: Vnfc) => vnfc.vduId === vduId);
const cluster = () => system.simulator.nodes.clusters()[0];
const machine = (vnfc: Vnfc) => system.simulator.nodes.node(vnfc.vnfcResourceInfoId);

it('heals a worker that is powered off: a new server takes its place, the other nodes are not logged in to', async () => {
  const [victim, other] = await vnfcs('workerNode');
  if (!victim || !other) throw new Error('two workers');
  const hostname = machine(victim)?.hostname;
  await system.simulator.nodes.hypervisor.power(victim.vnfcResourceInfoId, 'stop');
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const operation = operationOf(await heal({ vnfcInstanceId: [victim.id], cause: 'the machine is off' }));
  const ended = await settled(system.http, operation);
  expect(ended.error).toBeUndefined();
  expect(ended).toMatchObject({
    operation: 'HEAL',
    operationState: 'COMPLETED',
    resourceChanges: {
      affectedVnfcs: [
        { vduId: 'workerNode', changeType: 'ADDED' },
        { id: victim.vnfcResourceInfoId, vduId: 'workerNode', changeType: 'REMOVED' },
      ],
    },
  });
  const after = await vnfcs('workerNode');
  expect(after.map((vnfc) => vnfc.id)).toContain(other.id);
  expect(after.map((vnfc) => vnfc.id)).not.toContain(victim.id);
  expect(machine(victim)).toBeUndefined();
  expect(Object.keys(cluster()?.nodes ?? {})).toContain(hostname);
  const touched = system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'login');
  expect(touched.map(({ where }) => where)).not.toContain(machine(other)?.hostname);
  await expectJobsOnlyOf(operation.split('/').at(-1) ?? '');
});

/** What jobs of an earlier operation left on a node is removed by the first job of the next operation there. */
async function expectJobsOnlyOf(operation: string) {
  const [master] = await vnfcs('masterNode');
  const folders = (master && machine(master)?.files('/var/lib/vnflow/jobs')) ?? [];
  expect(folders.length).toBeGreaterThan(0);
  expect(folders.filter((name) => !name.startsWith(operation))).toEqual([]);
}

it('refuses what it cannot heal before anything starts', async () => {
  const unknown = await heal({ vnfcInstanceId: ['workerNode-0'] });
  expect([unknown.status, unknown.data.detail]).toEqual([400, expect.stringContaining('vnfcInstanceId: workerNode-0')]);
  expect((await heal({ vnfcInstanceId: [] })).status).toBe(400);
  expect((await heal({ additionalParams: { all: 'true' } })).data.detail).toContain('additionalParams.all');
  expect((await heal({ additionalParams: { allow_restore: 'yes' } })).data.detail).toContain('allow_restore');
  expect((await heal({ additionalParams: { drain_timeout: 0 } })).data.detail).toContain('drain_timeout');
});

/** A pod that its disruption budget cannot spare. @returns the cluster's objects */
function lastPodOn(nodeName: string) {
  const objects = cluster()?.objects;
  if (!objects) throw new Error('no cluster');
  const labels = { app: 'db' };
  objects['Pod/default/db-0'] = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'db-0', namespace: 'default', labels },
    spec: { nodeName, containers: [{ name: 'db', image: 'registry.k8s.io/pause:3.9' }] },
    status: { pulledAt: 0 },
  };
  objects['PodDisruptionBudget/default/db'] = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'db', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, minAvailable: 1 },
  };
  return objects;
}

it('a worker that has just become unreachable does not delay the heal: its pods never end, whatever their budget says', async () => {
  const [victim] = await vnfcs('workerNode');
  const name = victim && machine(victim)?.hostname;
  if (!victim || !name) throw new Error('no worker');
  const objects = lastPodOn(name);
  system.simulator.nodes.faults.add({ kind: 'unreachable', node: victim.vnfcResourceInfoId });
  const ended = await settled(system.http, operationOf(await heal({ vnfcInstanceId: [victim.id] })));
  system.simulator.nodes.faults.clear();
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  expect(machine(victim)).toBeUndefined();
  expect(objects['Pod/default/db-0']).toBeUndefined();
  delete objects['PodDisruptionBudget/default/db'];
});

it('a disruption budget holds the drain of a living worker for as long as the request says, then the operation waits for an operator', async () => {
  const [victim] = await vnfcs('workerNode');
  const name = victim && machine(victim)?.hostname;
  if (!victim || !name) throw new Error('no worker');
  const objects = lastPodOn(name);
  const operation = operationOf(await heal({ vnfcInstanceId: [victim.id], additionalParams: { drain_timeout: 90 } }));
  const blocked = await settled(system.http, operation);
  expect(blocked).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'DRAIN_BLOCKED', detail: `${name} could not be drained within 90 s.` },
  });
  expect(blocked.error.seen).toContain("violate the pod's disruption budget");
  expect(machine(victim)?.power).toBe('on');
  delete objects['PodDisruptionBudget/default/db'];
  await system.http.post(`${operation}/retry`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(machine(victim)).toBeUndefined();
});

it('heals with `all: true` as Tacker does: the stack is deleted and created again, and a new cluster installed', async () => {
  const before = { ...cluster() };
  const { metadata } = await show();
  const operation = operationOf(await heal({ additionalParams: { all: true } }));
  const ended = await settled(system.http, operation, { timeoutMs: 90_000 });
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const after = await show();
  expect(after.metadata.stack_id).not.toBe(metadata.stack_id);
  expect(after.scaleStatus).toEqual([{ aspectId: 'workerNode_scale', scaleLevel: 0 }]);
  expect(after.vnfcInfo).toHaveLength(3);
  expect(system.simulator.nodes.clusters()).toHaveLength(1);
  expect(cluster()?.id).not.toBe(before.id);
  expect(Object.keys(cluster()?.nodes ?? {})).toHaveLength(3);
}, 90_000);
