import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { typeRemedy, typeVnflow } from './testing/remedy.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
});
afterEach(() => {
  system.simulator.nodes.faults.clear();
  system.simulator.faults.remove();
});
afterAll(() => system.stop());

async function instantiate(change: (body: ReturnType<System['instantiateBody']>) => void = () => {}) {
  const id = await createInstance(system.http, vnfdId);
  const body = system.instantiateBody();
  change(body);
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
  return { id, operation };
}

async function terminate(id: string) {
  const operation = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' }),
  );
  return settled(system.http, operation);
}

/** Phases that began on nodes after an entry of the ledger: `worker9 join-worker` → how often. */
function phasesSince(seq: number): Record<string, number> {
  const began = system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'phase');
  return Object.fromEntries(
    [...Map.groupBy(began, ({ what }) => what)].map(([what, entries]) => [
      what.replace(/^vnflow /, ''),
      entries.length,
    ]),
  );
}
const now = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;

it('waits in FAILED_TEMP when a step fails for good, and retry runs that step and what follows, nothing else', async () => {
  const seq = now();
  system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'kubeadm init',
    times: 1,
    exitCode: 1,
    stderr: 'error execution phase wait-control-plane: could not initialize a Kubernetes cluster',
  });
  const { id, operation } = await instantiate();
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'NODE_COMMAND_FAILED', status: 422, stepId: 'initControlPlane-masterNode-0' },
  });
  expect(failed.error.seen).toContain('could not initialize a Kubernetes cluster');

  expect((await system.http.post(`${operation}/retry`)).status).toBe(202);
  const ended = await settled(system.http, operation);
  expect(ended).toMatchObject({ operationState: 'COMPLETED' });
  expect(ended.error).toBeUndefined();
  const phases = phasesSince(seq);
  expect(
    Object.entries(phases)
      .filter(([what]) => what.startsWith('prepare'))
      .map(([, times]) => times),
  ).toEqual([1, 1, 1]);
  expect(
    Object.entries(phases)
      .filter(([what]) => what.startsWith('init'))
      .map(([, times]) => times),
  ).toEqual([2]);
  await terminate(id);
});

it('repeats a transient failure by itself: a mirror that is down for a moment', async () => {
  system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'apt-get',
    times: 1,
    exitCode: 100,
    stderr: "E: Failed to fetch https://pkgs.k8s.io/ Could not resolve 'pkgs.k8s.io'",
  });
  const { id, operation } = await instantiate();
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await terminate(id);
});

it('goes on when an SSH session is cut in the middle of a job: the job ran on, and was started once', async () => {
  const seq = now();
  system.simulator.nodes.faults.add({ kind: 'ssh-reset', times: 2, afterSeconds: 5 });
  const { id, operation } = await instantiate();
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(Object.values(phasesSince(seq)).every((times) => times === 1)).toBe(true);
  await terminate(id);
});

it('rolls back to a cloud that is as it was before', async () => {
  const before = system.simulator.fingerprint();
  system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'kubeadm join',
    exitCode: 1,
    stderr: "error execution phase preflight: couldn't validate the identity of the API Server",
  });
  const { id, operation } = await instantiate();
  expect((await settled(system.http, operation)).operationState).toBe('FAILED_TEMP');
  expect((await system.http.post(`${operation}/rollback`)).status).toBe(202);
  const ended = await settled(system.http, operation);
  expect(ended).toMatchObject({ operationState: 'ROLLED_BACK', error: { code: 'NODE_COMMAND_FAILED' } });
  expect(ended.error.remedy).toBe('Read the tail of the output, remove the cause, then send the request again.');
  expect(system.simulator.fingerprint()).toEqual(before);
  const { data: instance } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  expect(instance.instantiationState).toBe('NOT_INSTANTIATED');
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
});

it('gives up on request, and a later instantiate takes over what was left behind', async () => {
  system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'kubeadm init',
    times: 1,
    exitCode: 1,
    stderr: 'broken',
  });
  const { id, operation } = await instantiate();
  expect((await settled(system.http, operation)).operationState).toBe('FAILED_TEMP');
  const failed = await system.http.post(`${operation}/fail`);
  expect([failed.status, failed.data.operationState]).toEqual([200, 'FAILED']);
  const again = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  expect(await settled(system.http, again)).toMatchObject({ operationState: 'COMPLETED' });
  await terminate(id);
});

it('ends in ROLLED_BACK, with the reason, when the VIM refuses the credentials: nothing was made', async () => {
  const before = system.simulator.fingerprint();
  const { operation } = await instantiate((body) => {
    body.vimConnectionInfo.vim1.accessInfo.password = 'wrong';
  });
  const ended = await settled(system.http, operation);
  expect(ended).toMatchObject({ operationState: 'ROLLED_BACK', error: { code: 'VIM_CREDENTIALS' } });
  expect(system.simulator.fingerprint()).toEqual(before);
});

it('survives a cloud that stumbles: 503, time-outs and answers lost after the work was done', async () => {
  for (const effect of [
    { status: 503 },
    { resetConnection: true as const },
    { afterSuccess: true as const, status: 504 },
  ]) {
    system.simulator.faults.add({ service: 'heat', times: 1, effect });
    system.simulator.faults.add({ service: 'neutron', times: 1, effect });
  }
  const { id, operation } = await instantiate();
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect((await terminate(id)).operationState).toBe('COMPLETED');
}, 60_000);

/** Jobs that run on nodes now. */
const jobs = () =>
  system.simulator.nodes
    .list()
    .flatMap((node) => node.units())
    .filter(({ name, active }) => name.startsWith('vnflow-') && active === 'active');
const timelineOf = async (operation: string) =>
  (await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${operation.split('/').at(-1)}/timeline`)).data;
const stepOf = async (operation: string, stepId: string) =>
  (await timelineOf(operation)).steps.find(({ id }: { id: string }) => id === stepId);
const INIT = 'initControlPlane-masterNode-0';
const VERIFY = 'verifyCluster-masterNode-0';
const SNAPSHOT = 'snapshotEtcd-masterNode-0';

it('FORCEFUL cancel stops the job on the node and waits in FAILED_TEMP; retry starts it again, and nothing else', async () => {
  const seq = now();
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', times: 1, delaySeconds: 30_000 });
  const { id, operation } = await instantiate();
  await expect.poll(async () => (await stepOf(operation, INIT))?.state, { timeout: 60_000 }).toBe('RUNNING');
  await expect.poll(() => jobs().length, { timeout: 20_000 }).toBe(1);
  const early = await system.http.post(`${operation}/retry`);
  expect([early.status, early.data.detail]).toEqual([
    409,
    'retry is allowed in FAILED_TEMP only; the INSTANTIATE operation is in state PROCESSING.',
  ]);

  expect((await system.http.post(`${operation}/cancel`, { cancelMode: 'FORCEFUL' })).status).toBe(202);
  const cancelled = await settled(system.http, operation);
  expect(cancelled).toMatchObject({
    operationState: 'FAILED_TEMP',
    isCancelPending: false,
    error: {
      code: 'OPERATION_CANCELLED',
      detail: 'The INSTANTIATE operation was cancelled (FORCEFUL) in PROCESSING by nfv_user. Stopped: one step.',
    },
  });
  expect(jobs()).toEqual([]);
  expect(await stepOf(operation, INIT)).toMatchObject({ state: 'CANCELLED', attempt: 1 });

  await system.http.post(`${operation}/retry`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  const again = Object.entries(phasesSince(seq)).filter(([, times]) => times > 1);
  expect(again.map(([what, times]) => [what.split(' ')[0], times])).toEqual([['init', 2]]);
  await terminate(id);
}, 120_000);

it('steps are paused, resumed and skipped with the vnflow command, and the timeline has the operator and the reason', async () => {
  const { id, operation } = await instantiate();
  const opOcc = operation.split('/').at(-1) ?? '';
  await expect.poll(async () => (await timelineOf(operation)).steps.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const ops = (...words: string[]) => typeVnflow(system, 'ops', ...words);
  await expect.poll(() => ops('pause', opOcc, VERIFY).catch(String), { timeout: 20_000 }).toContain('PAUSED');
  expect(await ops('pause', opOcc, 'scheduleSnapshots')).toContain('PAUSED');
  await expect(ops('skip', opOcc, 'applyStack', '--reason', 'x')).rejects.toThrow(/STEP_STATE: .*PROCESSING/);
  expect(await ops('steps', opOcc)).toMatch(new RegExp(`${VERIFY} +PAUSED +0 +.*paused by nfv_user`));
  expect(await ops('skip', opOcc, VERIFY, '--reason', 'looked at it myself')).toBe(
    `${VERIFY} is SKIPPED, skipped by nfv_user: looked at it myself: vnflow watch ${opOcc}\n`,
  );
  await expect.poll(async () => (await stepOf(operation, SNAPSHOT))?.state, { timeout: 60_000 }).toBe('DONE');
  expect((await timelineOf(operation)).operationState).toBe('PROCESSING');
  expect(await ops('resume', opOcc, 'scheduleSnapshots')).toContain('scheduleSnapshots is ');
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(await stepOf(operation, VERIFY)).toMatchObject({
    state: 'SKIPPED',
    attempt: 0,
    note: 'skipped by nfv_user: looked at it myself',
  });

  const graceful = { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 600 };
  const termination = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, graceful));
  await expect.poll(async () => (await stepOf(termination, 'gracePeriod'))?.state, { timeout: 20_000 }).toBe('RUNNING');
  await ops('skip', termination.split('/').at(-1) ?? '', 'gracePeriod', '--reason', 'nobody is on it');
  expect(await settled(system.http, termination)).toMatchObject({ operationState: 'COMPLETED' });
  expect(await stepOf(termination, 'gracePeriod')).toMatchObject({ state: 'SKIPPED', attempt: 1 });
}, 120_000);

it('a cancelled instantiate that is rolled back leaves the cloud as it was', async () => {
  const before = system.simulator.fingerprint();
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm init', delaySeconds: 30_000 });
  const { operation } = await instantiate();
  const opOcc = operation.split('/').at(-1) ?? '';
  await expect.poll(async () => (await stepOf(operation, INIT))?.state, { timeout: 60_000 }).toBe('RUNNING');
  expect(await typeVnflow(system, 'ops', 'cancel', opOcc, '--forceful')).toContain('cancel (FORCEFUL) accepted');
  const cancelled = await settled(system.http, operation);
  await typeRemedy(cancelled.error.remedy, system, 'rollback');
  const ended = await settled(system.http, operation);
  expect(ended.operationState).toBe('ROLLED_BACK');
  expect(ended.error.remedy).toBe('Send the request again when it is wanted after all.');
  expect(system.simulator.fingerprint()).toEqual(before);
}, 120_000);
