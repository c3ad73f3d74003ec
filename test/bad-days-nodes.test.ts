import axios from 'axios';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { typeRemedy } from './testing/remedy.ts';
import {
  createInstance,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
  tokenOf,
} from './testing/system.ts';

/** Failures of nodes: for each, the command in the error's remedy completes the operation. */

vi.setConfig({ testTimeout: 90_000 });

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem({ pace: { bootLimit: 15 } });
  vnfdId = await onboardSample(system.http);
});
afterEach(() => {
  system.simulator.faults.remove();
  system.simulator.nodes.faults.clear();
});
afterAll(() => system.stop());

async function instantiate(change: (body: ReturnType<System['instantiateBody']>) => void = () => {}) {
  const id = await createInstance(system.http, vnfdId);
  const body = system.instantiateBody();
  change(body);
  return operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
}

const now = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;
const timeline = async (operation: string) =>
  (await system.http.get(`${operation.replace('/vnflcm/v2', '/vnflow/v1')}/timeline`)).data;

it('a node with a full disk: the error names the node and the disk, the step is not repeated, and retry completes once there is room', async () => {
  const seq = now();
  const makeRoom = system.simulator.nodes.faults.add({ kind: 'disk-full', node: 'workerNode' });
  const operation = await instantiate();
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_DISK_FULL', status: 422 } });
  expect(failed.error.detail).toMatch(/node 172\.24\.4\.\d+.* there is no space left on the disk/);
  expect(failed.error.seen).toMatch(/No space left on device/i);
  expect(await attemptsOfFailed(operation)).toEqual(new Set([1]));

  makeRoom();
  await typeRemedy(failed.error.remedy, system);
  const ended = await settled(system.http, operation);
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
  const prepared = system.simulator.ledger
    .entries(seq)
    .filter(({ kind, what }) => kind === 'phase' && what.startsWith('vnflow prepare master'));
  expect(prepared).toHaveLength(1);
});

it('a disk that fills up in the middle of a job, so that not even its exit code is written, is reported as a full disk', async () => {
  const seq = now();
  const operation = await instantiate();
  const prepares = () =>
    system.simulator.ledger
      .entries(seq)
      .some(({ kind, where, what }) => kind === 'command' && where.startsWith('worker') && what.startsWith('apt-get'));
  await expect.poll(prepares, { timeout: 30_000, interval: 5 }).toBe(true);
  const makeRoom = system.simulator.nodes.faults.add({ kind: 'disk-full', node: 'workerNode' });
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_DISK_FULL' } });
  expect(failed.error.detail).toContain('there is no space left on the disk');
  expect(await attemptsOfFailed(operation)).toEqual(new Set([1]));
  makeRoom();
  await typeRemedy(failed.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
});

it('an apt mirror that is down is tried again by itself, and until then the step shows the end of the output of apt', async () => {
  const bringUp = system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'apt-get update',
    exitCode: 100,
    stderr: 'E: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/jammy/InRelease  503  Service Unavailable\n',
  });
  const operation = await instantiate();
  await expect.poll(() => failedAttempts(operation), { timeout: 30_000 }).toBeGreaterThanOrEqual(1);
  const { operationState, steps } = await timeline(operation);
  expect(operationState).toBe('PROCESSING');
  const { error } = steps.find(({ error: told }: { error?: object }) => told !== undefined);
  expect(error).toMatchObject({ code: 'NODE_COMMAND_TRANSIENT', detail: expect.stringContaining('172.24.4.') });
  expect(error.seen).toContain('E: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/jammy/InRelease');
  expect((await system.http.post(`${operation}/retry`)).data).toMatchObject({
    status: 409,
    detail: expect.stringContaining('PROCESSING'),
  });

  bringUp();
  const ended = await settled(system.http, operation);
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
});

it('a new node that is never reached is named after seconds, with the last answer and the usual causes; after the boot limit the operation waits', async () => {
  const mend = system.simulator.nodes.faults.add({ kind: 'unreachable', node: 'workerNode' });
  const operation = await instantiate();
  const waits = async () =>
    (await timeline(operation)).steps.find(({ progress }: { progress?: string }) => progress !== undefined);
  await expect.poll(waits, { timeout: 30_000 }).toBeDefined();
  const step = await waits();
  expect(step).toMatchObject({ kind: 'prepareNode', state: 'RUNNING', attempt: 1 });
  expect(step.progress).toMatch(
    /^waiting for worker\S* \(172\.24\.4\.\d+\) since \d\d:\d\d:\d\d UTC: The .*172.* Usual causes: .*security group, floating IP, router or bastion\.$/,
  );
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_NEVER_REACHED', status: 503 } });
  expect(failed.error.detail).toMatch(
    /^The new server worker\S* \([0-9a-f-]{36}\) was not reached at 172\..* within 15 s\. Last answer: /,
  );
  expect(await attemptsOfFailed(operation)).toEqual(new Set([1]));
  const { events } = (await system.http.get(`${operation.replace('/vnflcm/v2', '/vnflow/v1')}/events`)).data;
  expect(events.filter(({ text }: { text: string }) => text.includes(': waiting for worker')).length).toBeGreaterThan(
    0,
  );
  mend();
  await typeRemedy(failed.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
});

it('a join whose token the cluster does not know any more is repeated with a new one', async () => {
  const seq = now();
  const stderr = `error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"`;
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm join', exitCode: 1, times: 1, stderr });
  expect(await settled(system.http, await instantiate())).toMatchObject({ operationState: 'COMPLETED' });
  const minted = system.simulator.ledger
    .entries(seq)
    .filter(({ kind, what }) => kind === 'command' && what.startsWith('kubeadm token create'));
  expect(minted).toHaveLength(1);
});

it('a control-plane node whose server was deleted in OpenStack: the operation waits after one attempt and names the server', async () => {
  const created = await instantiate();
  expect(await settled(system.http, created)).toMatchObject({ operationState: 'COMPLETED' });
  const { vnfInstanceId: id } = (await system.http.get(created)).data;
  const { nodes } = (await system.http.get(`/vnflow/v1/vnf_instances/${id}/cluster`)).data;
  const master = nodes.find(({ role }: { role: string }) => role === 'master');
  await deleteServer(master.serverId);
  const body = { type: 'SCALE_OUT', aspectId: 'workerNode_scale' };
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, body));
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'SERVER_MISSING', status: 409 } });
  expect(failed.error.detail).toContain(`The server ${master.serverId} of ${master.name}`);
  expect(await attemptsOfFailed(operation)).toEqual(new Set([1]));
});

async function deleteServer(id: string): Promise<void> {
  const url = `${new URL(system.simulator.authUrl).origin}/compute/v2.1/servers/${id}`;
  const headers = { 'X-Auth-Token': await tokenOf(system.simulator.authUrl) };
  expect((await axios.delete(url, { headers, proxy: false })).status).toBe(204);
}

async function attemptsOfFailed(operation: string): Promise<Set<number>> {
  const { steps } = await timeline(operation);
  const failed = steps.filter(({ state }: { state: string }) => state === 'FAILED');
  return new Set(failed.map(({ attempt }: { attempt: number }) => attempt));
}

async function failedAttempts(operation: string): Promise<number> {
  const { steps } = await timeline(operation);
  return steps.filter(({ error }: { error?: object }) => error !== undefined).length;
}

it('a wrong SSH password: the error names node and user, the step is not repeated, and rollback leaves nothing', async () => {
  const before = system.simulator.fingerprint();
  const seq = now();
  const operation = await instantiate((body) => {
    body.additionalParams.k8s_cluster_installation_param.worker_node.password = 'not-the-password';
  });
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_AUTH' } });
  expect(failed.error.detail).toMatch(/node 172\.24\.4\.\d+ refused the login of user "ubuntu" \(password\)/);
  expect(JSON.stringify([failed, await timeline(operation)])).not.toContain('not-the-password');
  expect(system.simulator.ledger.entries(seq).some(({ kind }) => kind === 'login-refused')).toBe(true);
  const tries = (await timeline(operation)).steps.filter(({ error }: { error?: object }) => error !== undefined);
  expect(new Set(tries.map(({ attempt }: { attempt: number }) => attempt))).toEqual(new Set([1]));

  await typeRemedy(failed.error.remedy, system, 'rollback');
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(system.simulator.fingerprint()).toEqual(before);
});

it('a host key that is not the one the console announced: the error has both, and retry completes once it is right', async () => {
  const undo = system.simulator.nodes.faults.add({ kind: 'host-key', node: 'masterNode' });
  // sshd answers before cloud-init prints the keys: the fault strikes often enough for three questions per node
  const booting = { status: 200, body: { output: '[    0.000000] Linux version 5.15.0\n' } };
  system.simulator.faults.add({ service: 'nova', pathContains: '/action', times: 9, effect: booting });
  const operation = await instantiate();
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_HOST_KEY' } });
  expect(new Set(failed.error.detail.match(/SHA256:[\w+/]{43}/g)).size).toBeGreaterThanOrEqual(2);
  expect(failed.error.detail).toMatch(/the console of server \S+ announced SHA256:.*No credential was sent/);

  undo();
  await typeRemedy(failed.error.remedy, system);
  const ended = await settled(system.http, operation);
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
});

it('a host key that changed since it was pinned: the next operation refuses the node before any login, and its error has both fingerprints', async () => {
  const instantiated = await instantiate();
  const { vnfInstanceId } = await settled(system.http, instantiated);
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${vnfInstanceId}`);
  const { computeResource } = data.instantiatedVnfInfo.vnfcResourceInfo.find(
    ({ vduId }: { vduId: string }) => vduId === 'masterNode',
  );
  const undo = system.simulator.nodes.faults.add({ kind: 'host-key', node: computeResource.resourceId });
  const seq = now();
  const body = { type: 'SCALE_OUT', aspectId: 'workerNode_scale' };
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${vnfInstanceId}/scale`, body));
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'NODE_HOST_KEY' } });
  expect(new Set(failed.error.detail.match(/SHA256:[\w+/]{43}/g)).size).toBeGreaterThanOrEqual(2);
  const logins = system.simulator.ledger.entries(seq).filter(({ kind }) => kind.startsWith('login'));
  expect(logins.filter(({ where }) => where.startsWith('master'))).toEqual([]);
  undo();
  await typeRemedy(failed.error.remedy, system);
  const ended = await settled(system.http, operation);
  expect([ended.operationState, ended.error]).toEqual(['COMPLETED', undefined]);
});
