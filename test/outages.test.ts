import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClusterState, NodeFault } from '../simulator/index.ts';
import { beginOperation, instantiateCluster } from './testing/operations.ts';
import { onboardSample, type System, settled, startSystem } from './testing/system.ts';
import { TEST_PACE } from './testing/test-pace.ts';

/** Nodes are alive but unreachable for a while: a heal, with and without `allow_restore`, harms nothing. */
let system: System;
let vnfdId: string;
beforeEach(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
}, 120_000);
afterEach(() => system.stop());

/** An outage that ends before the survey ends. */
const SHORTER_MS = TEST_PACE.surveyLimit * 1000 * 0.5;
const RESTORE = { additionalParams: { allow_restore: true } };

const LIMIT = { timeoutMs: 240_000 };
const instantiate = (flavour: 'simple' | 'complex') => instantiateCluster(system, { vnfdId, flavour, ...LIMIT });
const ended = (operation: string) => settled(system.http, operation, LIMIT);
const heal = (id: string, body: object) => beginOperation(system.http, id, 'heal', body);
const control = (operation: string, word: 'retry' | 'fail') => system.http.post(`${operation}/${word}`);
const stepsPath = (operation: string) => operation.replace('/vnflcm/v2', '/vnflow/v1');
const stepsOf = async (operation: string): Promise<{ id: string; kind: string; state: string }[]> =>
  (await system.http.get(`${stepsPath(operation)}/timeline`)).data.steps;
const lastSeq = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcResourceInfoId: string;
}

/** Control-plane nodes of an instance, in the order of their index: vnfcInfo and server. */
async function masters(id: string): Promise<{ vnfc: string; server: string }[]> {
  const { vnfcInfo, vnfcResourceInfo } = (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data
    .instantiatedVnfInfo;
  const index = (one: Vnfc) =>
    vnfcResourceInfo.find((resource: { id: string }) => resource.id === one.vnfcResourceInfoId)?.metadata.vdu_idx;
  return vnfcInfo
    .filter(({ vduId }: Vnfc) => vduId === 'masterNode')
    .sort((a: Vnfc, b: Vnfc) => index(a) - index(b))
    .map((one: Vnfc) => ({ vnfc: one.id, server: one.vnfcResourceInfoId }));
}

/** The cluster that lives on one of these servers. */
function clusterOf(servers: readonly { readonly server: string }[]): ClusterState {
  const found = system.simulator.nodes
    .clusters()
    .find(({ etcd }) => etcd.members.some((member) => servers.some(({ server }) => server === member.server)));
  if (!found) throw new Error('no cluster');
  return found;
}

/** Writes an object after the last backup: a restore of that backup loses it. */
function writeSomething(cluster: ClusterState): string {
  const name = `ConfigMap/default/written-${Object.keys(cluster.objects).length}`;
  cluster.objects[name] = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
  return name;
}

/** Starts an outage. It ends after `forMs`, if given. @returns a function that ends it */
function outage(fault: NodeFault, servers: readonly { readonly server: string }[], forMs?: number): () => void {
  const clear = servers.map(({ server }) => system.simulator.nodes.faults.add({ ...fault, node: server }));
  const end = () => {
    for (const one of clear) one();
  };
  if (forMs !== undefined) setTimeout(end, forMs).unref();
  return end;
}

/** Servers deleted and members removed since then. */
const harmSince = (seq: number) =>
  system.simulator.ledger
    .entries(seq)
    .filter(
      ({ kind, what }) => (kind === 'machine' && what === 'destroy') || (kind === 'etcd' && /^remove /.test(what)),
    )
    .map(({ where, what }) => `${what} ${where}`);

/** Holds a step back from the moment that the operation has a plan. */
async function pause(operation: string, stepId: string): Promise<void> {
  await expect
    .poll(async () => (await system.http.post(`${stepsPath(operation)}/steps/${stepId}/pause`)).status, {
      timeout: 120_000,
      interval: 20,
    })
    .toBe(200);
}

async function untilDone(operation: string, stepId: string): Promise<void> {
  const look = async () => {
    const step = (await stepsOf(operation)).find(({ id }) => id === stepId);
    return step?.state === 'DONE' ? 'DONE' : ((await system.http.get(operation)).data.error ?? step?.state);
  };
  await expect.poll(look, { timeout: 120_000 }).toBe('DONE');
}

const resume = (operation: string, stepId: string) =>
  system.http.post(`${stepsPath(operation)}/steps/${stepId}/resume`);

it('three control-plane nodes, the outage lasts longer than the survey: nothing is touched, restore allowed or not', async () => {
  const id = await instantiate('complex');
  const before = await masters(id);
  const marker = writeSomething(clusterOf(before));
  const victims = { vnfcInstanceId: before.map(({ vnfc }) => vnfc) };
  const seq = lastSeq();
  const refused = { kind: 'ssh-refused' } as const;
  const outages = [
    { fault: refused, body: victims },
    { fault: refused, body: { ...victims, ...RESTORE } },
    ...(['unreachable', 'ssh-reset', 'ssh-hang'] as const).map((kind) => ({
      fault: { kind },
      body: { ...victims, ...RESTORE },
    })),
  ];
  for (const { fault, body } of outages) {
    const over = outage(fault, before);
    const { operationState, error } = await ended(await heal(id, body));
    over();
    expect([fault.kind, operationState, error?.code]).toEqual([fault.kind, 'ROLLED_BACK', 'CONTROL_PLANE_UNKNOWN']);
    expect(error.detail).toMatch(/Nothing was touched: no majority of etcd answers.* is unknown: .*ACTIVE in Nova/);
  }
  expect(harmSince(seq)).toEqual([]);
  expect(await masters(id)).toEqual(before);
  expect(Object.keys(clusterOf(before).objects)).toContain(marker);

  // some of them are off, the others only unreachable: the survey stays undecided
  const [first, second, third] = before;
  if (!first || !second || !third) throw new Error('three masters');
  system.simulator.cloud.power(second.server, 'stop');
  const over = outage({ kind: 'ssh-refused' }, [first, third]);
  const plan = { operation: 'HEAL', request: { ...victims, ...RESTORE }, live: true };
  const planned = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, plan);
  expect(planned.data).toMatchObject({ code: 'CONTROL_PLANE_UNKNOWN' });
  const partly = await ended(await heal(id, { ...victims, ...RESTORE }));
  over();
  expect(partly).toMatchObject({ operationState: 'ROLLED_BACK', error: { code: 'CONTROL_PLANE_UNKNOWN' } });
  expect(harmSince(seq)).toEqual([]);

  // the outage ends during the survey: the node that is off is replaced, and nothing is restored
  const blink = outage({ kind: 'ssh-refused' }, before, SHORTER_MS);
  const slow = outage({ kind: 'ssh-slow', seconds: 60 }, before);
  const operation = await heal(id, { vnfcInstanceId: [second.vnfc], ...RESTORE });
  const done = await ended(operation);
  blink();
  slow();
  expect(done.error).toBeUndefined();
  expect(done.operationState).toBe('COMPLETED');
  expect(
    (await stepsOf(operation)).filter(({ kind, state }) => kind === 'restoreControlPlane' && state === 'DONE'),
  ).toEqual([]);
  const after = await masters(id);
  expect([after[0], after[2]]).toEqual([first, third]);
  expect(after[1]?.server).not.toBe(second.server);
  expect(Object.keys(clusterOf(after).objects)).toContain(marker);
}, 600_000);

it('three control-plane nodes, the outage comes between survey and removal: the others stay, and retry ends it', async () => {
  const id = await instantiate('complex');
  const before = await masters(id);
  const [first, second, third] = before;
  if (!first || !second || !third) throw new Error('three masters');
  const marker = writeSomething(clusterOf(before));
  const victims = [first.server];
  const operation = await heal(id, { vnfcInstanceId: [first.vnfc], ...RESTORE });
  const replace = 'replaceServers-masterNode-0';
  await pause(operation, replace);
  await untilDone(operation, 'removeControlPlane-masterNode-0');
  const over = outage({ kind: 'ssh-refused' }, [second, third]);
  const seq = lastSeq();
  await resume(operation, replace);
  expect(await ended(operation)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'CONTROL_PLANE_UNKNOWN', detail: expect.stringContaining('Nothing more was removed') },
  });
  expect(harmSince(seq)).toEqual([]);
  over();
  await control(operation, 'retry');
  const done = await ended(operation);
  expect(done.error).toBeUndefined();
  expect(done.operationState).toBe('COMPLETED');
  const gone = system.simulator.ledger
    .entries(seq)
    .filter(({ kind, what }) => kind === 'machine' && what === 'destroy');
  expect(gone.map(({ detail }) => detail?.['server'])).toEqual(victims);
  expect(Object.keys(clusterOf(await masters(id)).objects)).toContain(marker);
}, 600_000);

it('a restore that was planned while two of three were off is refused when they run again, or when their state is unknown', async () => {
  const id = await instantiate('complex');
  const before = await masters(id);
  const [first, second, third] = before;
  if (!first || !second || !third) throw new Error('three masters');
  const body = { vnfcInstanceId: [second.vnfc, third.vnfc], ...RESTORE };
  const off = [second, third];
  const seq = lastSeq();
  // the source of the restore is written down slowly: time to pause what comes after it
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'tar -C', delaySeconds: 600, times: 2 });
  const power = (action: 'start' | 'stop') => off.map(({ server }) => system.simulator.cloud.power(server, action));

  power('stop');
  const risen = await heal(id, body);
  await pause(risen, 'replaceServers');
  await untilDone(risen, 'snapshotEtcd-0');
  power('start');
  await delay(500); // 100 simulated seconds
  await resume(risen, 'replaceServers');
  expect(await ended(risen)).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'CONTROL_PLANE_CHANGED' } });
  await control(risen, 'fail');
  expect(harmSince(seq)).toEqual([]);
  expect(await masters(id)).toEqual(before);

  power('stop');
  const marker = writeSomething(clusterOf(before));
  const unknown = await heal(id, body);
  await pause(unknown, 'replaceServers');
  await untilDone(unknown, 'snapshotEtcd-0');
  const over = outage({ kind: 'ssh-refused' }, [first]);
  await resume(unknown, 'replaceServers');
  expect(await ended(unknown)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'CONTROL_PLANE_UNKNOWN' },
  });
  expect(harmSince(seq)).toEqual([]);
  over();
  await control(unknown, 'retry');
  const done = await ended(unknown);
  expect(done.error).toBeUndefined();
  expect(done.operationState).toBe('COMPLETED');
  expect((await masters(id))[0]).toEqual(first);
  expect(Object.keys(clusterOf([first]).objects)).toContain(marker);
}, 600_000);

it('the only control-plane node is alive behind an outage: the heal waits for it, and backs it up before its server goes', async () => {
  const id = await instantiate('simple');
  const [only] = await masters(id);
  if (!only) throw new Error('no master');
  const marker = writeSomething(clusterOf([only]));
  const seq = lastSeq();
  for (const body of [{}, RESTORE]) {
    const over = outage({ kind: 'ssh-refused' }, [only]);
    const operation = await heal(id, { vnfcInstanceId: [only.vnfc], ...body });
    const waits = await ended(operation);
    expect(waits).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'CONTROL_PLANE_UNKNOWN' } });
    expect(JSON.stringify(waits.error)).toContain('openstack server stop');
    over();
    await control(operation, 'fail');
  }
  expect(harmSince(seq)).toEqual([]);
  expect(await masters(id)).toEqual([only]);

  const over = outage({ kind: 'ssh-refused' }, [only]);
  const operation = await heal(id, { vnfcInstanceId: [only.vnfc] });
  expect(await ended(operation)).toMatchObject({ operationState: 'FAILED_TEMP' });
  over();
  await control(operation, 'retry');
  const done = await ended(operation);
  expect(done.error).toBeUndefined();
  expect(done.operationState).toBe('COMPLETED');
  const [healed] = await masters(id);
  expect(healed?.server).not.toBe(only.server);
  expect(Object.keys(clusterOf(await masters(id)).objects), 'nothing is lost').toContain(marker);
}, 600_000);

it('the only control-plane node is dead, but ACTIVE in Nova: after the operator stops its server, retry restores it', async () => {
  const id = await instantiate('simple');
  const [only] = await masters(id);
  if (!only) throw new Error('no master');
  system.simulator.cloud.power(only.server, 'crash');
  const seq = lastSeq();
  const operation = await heal(id, { vnfcInstanceId: [only.vnfc] });
  expect(await ended(operation)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'CONTROL_PLANE_UNKNOWN', detail: expect.stringContaining('ACTIVE in Nova') },
  });
  expect(harmSince(seq)).toEqual([]);
  system.simulator.cloud.power(only.server, 'stop');
  await control(operation, 'retry');
  const done = await ended(operation);
  expect(done.error).toBeUndefined();
  expect(done.operationState).toBe('COMPLETED');
  expect((await masters(id))[0]?.server).not.toBe(only.server);
}, 600_000);
