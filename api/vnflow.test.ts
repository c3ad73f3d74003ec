import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { pinHostKey, putClusterNodes } from '../store/cluster-nodes.ts';
import { NO_INSTANCE } from '../store/host-keys.ts';
import {
  insertPlanSteps,
  recordStepEnded,
  recordStepLog,
  recordStepProgress,
  recordStepStarted,
} from '../store/operation-steps.ts';
import { recordStepControl } from '../store/operator-controls.ts';
import { appendStepLog } from '../store/step-logs.ts';
import { enterState, nextSeq } from '../test/testing/api/enter-state.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenInstantiated, givenOperation, givenPackage } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';
import { planInstantiate } from '../test/testing/domain/cluster-plans.ts';

const test = await startFileApi();

const SHAPE = {
  controlPlane: { vduId: 'masterNode', count: 1 },
  workers: { vduId: 'workerNode', count: 2 },
  loadBalanced: false,
};

it('plans instantiate: steps, commands, critical path; and stores nothing', async () => {
  const { id } = await givenInstance(test);
  const secrets = await test.db.selectFrom('secret').select('name').execute();
  const { status, json } = await test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, {
    json: { operation: 'INSTANTIATE', request: sampleRequest('instantiate-simple') },
  });
  expect(status).toBe(200);
  const expected = planInstantiate(SHAPE).steps.map((step) => step.id);
  expect(json.steps.map((step: { id: string }) => step.id)).toEqual(expected);
  expect(json.steps).toContainEqual({
    id: 'joinWorker-workerNode-1',
    kind: 'joinWorker',
    summary: 'join workerNode[1]',
    slot: 'workerNode[1]',
    after: ['prepareNode-workerNode-1', 'initControlPlane-masterNode-0'],
    commands: ['bash install_k8s_cluster.sh join-worker'],
    expectedSeconds: 25,
  });
  expect(json.steps[0].commands[0]).toBe(`Heat: POST stacks (stack_name vnf-${id})`);
  expect(json.criticalPath).toEqual([
    'applyStack',
    'discover',
    'prepareNode-masterNode-0',
    'initControlPlane-masterNode-0',
    'installCni-masterNode-0',
    'verifyCluster-masterNode-0',
    'snapshotEtcd-masterNode-0',
    'scheduleSnapshots',
  ]);
  expect(json.criticalPathSeconds).toBe(325);
  expect(json.expectedSeconds).toBe(325);
  expect(json.disruption).toMatchObject({
    added: ['masterNode[0]', 'workerNode[0]', 'workerNode[1]'],
    untouched: [],
    quorum: { before: { members: 0 }, after: { members: 1, majority: 1, tolerates: 0 } },
  });
  expect(json.rollback).toMatchObject({ supported: true, steps: [{ id: 'deleteStack' }, { id: 'forgetCluster' }] });
  expect(await test.db.selectFrom('secret').select('name').execute()).toEqual(secrets);
  expect(await test.db.selectFrom('lcmRequest').selectAll().execute()).toEqual([]);
});

it('plans terminate with its grace period', async () => {
  const { id } = await givenInstantiated(test);
  const plan = (request: unknown) =>
    test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, { json: { operation: 'TERMINATE', request } });
  const { json } = await plan({ terminationType: 'GRACEFUL', gracefulTerminationTimeout: 7 });
  expect(
    json.steps.map(({ id: stepId, expectedSeconds }: Record<string, unknown>) => [stepId, expectedSeconds]),
  ).toEqual([
    ['gracePeriod', 7],
    ['deleteStack', 15],
    ['forgetCluster', 1],
  ]);
  expect(json.criticalPathSeconds).toBe(23);
  expect(await plan({})).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/^request\.terminationType:/) },
  });
  expect(await plan({ terminationType: 'FORCEFUL' })).toMatchObject({ status: 200 });
});

it('plans scale in: names the nodes that are drained and removed, visited, and left alone', async () => {
  const { id } = await givenInstantiated(test);
  await putClusterNodes(
    test.db,
    ['masterNode[0]', 'workerNode[0]', 'workerNode[1]', 'workerNode[2]'].map((slot, index) => ({
      vnfInstanceId: id,
      slot,
      role: index === 0 ? ('master' as const) : ('worker' as const),
      serverId: `server-${index}`,
      nodeName: `node${index}`,
      sshAddress: `172.24.4.${index}`,
      nicAddress: `10.10.0.${index}`,
    })),
  );
  await test.db
    .updateTable('vnfInstance')
    .set({
      instantiatedVnfInfo: JSON.stringify({
        flavourId: 'simple',
        scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 1 }],
        vnfcResourceInfo: [0, 1, 2].map(() => ({ vduId: 'workerNode' })),
      }),
    })
    .where('id', '=', id)
    .execute();
  const { json } = await test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, {
    json: { operation: 'SCALE', request: { type: 'SCALE_IN', aspectId: 'workerNode_scale' } },
  });
  expect(json.steps[0]).toMatchObject({ summary: 'drain and delete node3 (10.10.0.3)', slots: ['workerNode[2]'] });
  expect(json.disruption).toMatchObject({
    drained: ['node3 (10.10.0.3)'],
    removed: ['node3 (10.10.0.3)'],
    touched: ['node0 (10.10.0.0)'],
    untouched: ['node1 (10.10.0.1)', 'node2 (10.10.0.2)'],
  });
  expect(json.rollback).toEqual({ supported: false, steps: [] });
  expect(json.observed, 'nobody was asked').toBeUndefined();

  const live = (live: boolean) =>
    test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, {
      json: { operation: 'SCALE', request: { type: 'SCALE_IN', aspectId: 'workerNode_scale' }, live },
    });
  const pod = { namespace: 'default', name: 'db-1', node: 'node3', budget: { name: 'db', disruptionsAllowed: 0 } };
  const member = { id: 'a', started: true, name: 'node0', peerUrls: [], learner: false, healthy: true };
  const seen = { verdict: 'alive', ground: 'majority', seen: 'its member of etcd votes' } as const;
  const node = { slot: 'masterNode[0]', name: 'node0', address: '10.10.0.0', ...seen };
  test.engine.sees = { survey: { nodes: [node], members: [member], majority: true }, pods: [pod] };
  expect((await live(true)).json.observed).toEqual({
    etcd: [{ name: 'node0', healthy: true, voter: true }],
    controlPlane: [{ name: 'node0', verdict: 'alive', seen: 'its member of etcd votes' }],
    pods: [pod],
  });
  expect((await live(false)).json.observed).toBeUndefined();
  test.engine.sees = undefined;
  const unknown = await live(true);
  expect(unknown.status, 'a plan is made in either case').toBe(200);
  expect(unknown.json.observed).toEqual({ problem: 'The workflow engine did not answer in time.' });
});

it('shows which node is which VNFC and server, and with look=true whether it is Ready and votes in etcd', async () => {
  const { id } = await givenInstantiated(test);
  const vnfcId = randomUUID();
  const nodes = ['masterNode[0]', 'workerNode[0]'].map((slot, index) => ({
    vnfInstanceId: id,
    slot,
    role: index === 0 ? 'master' : 'worker',
    serverId: `server-${index}`,
    nodeName: `node${index}`,
    sshAddress: `172.24.4.${index}`,
    nicAddress: `10.10.0.${index}`,
  }));
  await putClusterNodes(test.db, nodes);
  await test.db
    .updateTable('vnfInstance')
    .set({
      instantiatedVnfInfo: JSON.stringify({
        flavourId: 'simple',
        vnfcResourceInfo: [{ id: 'resource-0', vduId: 'masterNode', computeResource: { resourceId: 'server-0' } }],
        vnfcInfo: [{ id: vnfcId, vduId: 'masterNode', vnfcResourceInfoId: 'resource-0', vnfcState: 'STARTED' }],
      }),
    })
    .where('id', '=', id)
    .execute();
  const status = (query = '') => test.call('GET', `/vnflow/v1/vnf_instances/${id}/cluster${query}`);
  const master = {
    name: 'node0',
    role: 'master',
    slot: 'masterNode[0]',
    vduId: 'masterNode',
    vnfcId,
    serverId: 'server-0',
  };
  const { json } = await status();
  expect(json.nodes).toEqual([
    { ...master, addresses: { ssh: '172.24.4.0', node: '10.10.0.0' } },
    expect.objectContaining({ name: 'node1', role: 'worker', serverId: 'server-1' }),
  ]);
  expect(json.observedAt).toBeUndefined();
  expect((await status('?look=yes')).status).toBe(400);

  const seen = { verdict: 'alive', ground: 'majority', seen: 'its member of etcd votes' } as const;
  const member = { id: 'a', started: true, name: 'node0', peerUrls: [], learner: false, healthy: true };
  test.engine.sees = {
    survey: {
      nodes: [{ slot: 'masterNode[0]', name: 'node0', address: '10.10.0.0', ...seen }],
      members: [member],
      majority: true,
    },
    nodes: [{ name: 'node0', ready: true, kubelet: 'v1.26.8' }],
  };
  const { json: looked } = await status('?look=true');
  expect(looked.nodes[0]).toMatchObject({
    ready: { status: true },
    kubelet: 'v1.26.8',
    etcd: { memberId: 'a', voter: true, healthy: true },
    verdict: { is: 'alive' },
  });
  expect(looked.nodes[1]).toMatchObject({ ready: { status: false, reason: 'NotInCluster' } });
  expect(looked.etcd).toEqual({ members: 1, healthy: 1, majority: 1, tolerates: 0 });

  test.engine.sees = undefined;
  const { json: silent } = await status('?look=true');
  expect(silent).toMatchObject({ problem: 'The workflow engine did not answer in time.' });
  expect(silent.nodes).toHaveLength(2);
});

it('lists the pinned host keys of the project and of the bastion, and forgets one; the bastion only for an admin', async () => {
  const { id } = await givenInstance(test);
  const key = { keyType: 'ssh-ed25519', fingerprint: 'SHA256:abc', source: 'first-contact' as const };
  await pinHostKey(test.db, { ...key, serverId: 'server-9', vnfInstanceId: id });
  await pinHostKey(test.db, { ...key, serverId: 'bastion 10.0.0.1:22', vnfInstanceId: NO_INSTANCE });
  const list = async (token?: string) =>
    (await test.call('GET', '/vnflow/v1/host_keys', token === undefined ? {} : { token })).json;
  const machines = async (token?: string) => (await list(token)).map(({ machine }: { machine: string }) => machine);
  expect(await list()).toEqual([
    { machine: 'bastion', address: '10.0.0.1:22', ...key, seenAt: expect.any(String) },
    { machine: 'server-9', vnfInstanceId: id, ...key, seenAt: expect.any(String) },
  ]);
  const forget = (machine: string, token?: string) =>
    test.call('DELETE', `/vnflow/v1/host_keys/${machine}`, token === undefined ? {} : { token });
  expect(await machines('member@another')).toEqual(['bastion']);
  expect((await forget('server-9', 'member@another')).status).toBe(404);
  expect((await forget('server-9', `reader@${test.tenant}`)).status).toBe(403);
  expect((await forget('bastion')).json).toMatchObject({ code: 'FORBIDDEN', detail: expect.stringContaining('admin') });
  expect(await machines()).toEqual(['bastion', 'server-9']);
  expect((await forget('server-9')).status).toBe(204);
  expect((await forget('bastion', `admin@${test.tenant}`)).status).toBe(204);
  expect(await machines()).toEqual([]);
});

it('plans instantiate for a VNFD of which there is no instance, with the checks of the operation, and creates no instance', async () => {
  const { vnfdId, packageId } = await givenPackage(test);
  const before = await test.db.selectFrom('vnfInstance').select('id').execute();
  const planned = (request: unknown, changes: object = {}) =>
    test.call('POST', '/vnflow/v1/plan', { json: { vnfdId, operation: 'INSTANTIATE', request, ...changes } });
  const request = sampleRequest('instantiate-simple');
  const { status, json } = await planned(request);
  expect(status).toBe(200);
  const expected = planInstantiate(SHAPE).steps.map((step) => step.id);
  expect(json.steps.map((step: { id: string }) => step.id)).toEqual(expected);
  expect(json.steps[0].commands[0]).toBe('Heat: POST stacks (stack_name vnf-{vnfInstanceId})');
  expect(json.disruption.quorum.after).toMatchObject({ members: 1 });

  expect(await planned({ ...request, flavourId: 'none' })).toMatchObject({ status: 400 });
  expect(await planned(request, { operation: 'TERMINATE' })).toMatchObject({ status: 400 });
  const unknown = { status: 422, json: { code: 'VNFD_NOT_USABLE' } };
  expect(await planned(request, { vnfdId: randomUUID() })).toMatchObject(unknown);
  await test.call('PATCH', `/vnfpkgm/v1/vnf_packages/${packageId}`, { json: { operationalState: 'DISABLED' } });
  expect(await planned(request)).toMatchObject(unknown);
  expect(await test.db.selectFrom('vnfInstance').select('id').execute()).toEqual(before);
});

it('a plan of an operation that cannot run now is refused as the operation is', async () => {
  const { id } = await givenOperation(test);
  const { json, status } = await test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, {
    json: { operation: 'INSTANTIATE', request: sampleRequest('instantiate-simple') },
  });
  expect({ status, code: json.code }).toEqual({ status: 409, code: 'VNF_BUSY' });
  const planned = (operation: string) =>
    test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, { json: { operation } });
  expect(await planned('CHANGE_FLAVOUR')).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/^operation:/) },
  });
  expect(await planned('SCALE')).toMatchObject({ status: 400, json: { detail: expect.stringMatching(/^request:/) } });
});

const worker57 = (vnfInstanceId: string, serverId: string, role = 'worker') => ({
  vnfInstanceId,
  slot: role === 'worker' ? 'workerNode[1]' : 'masterNode[0]',
  role,
  serverId,
  nodeName: role === 'worker' ? 'worker57' : 'master17',
  sshAddress: '172.24.4.57',
  nicAddress: '10.10.0.57',
});

it('a node is healed by its name, and a wrong one is refused with the names and ids that there are', async () => {
  const { id } = await givenInstantiated(test);
  const server = randomUUID();
  const vnfc = `workerNode-${server}`;
  const instantiatedVnfInfo = {
    flavourId: 'simple',
    vnfState: 'STARTED',
    vnfcInfo: [{ id: vnfc, vduId: 'workerNode', vnfcResourceInfoId: server, vnfcState: 'STARTED' }],
    vnfcResourceInfo: [
      {
        id: server,
        vduId: 'workerNode',
        computeResource: { vimConnectionId: 'v', resourceId: server, vimLevelResourceType: 'OS::Nova::Server' },
        metadata: { vdu_idx: 1 },
      },
    ],
  };
  await test.db
    .updateTable('vnfInstance')
    .set({ instantiatedVnfInfo: JSON.stringify(instantiatedVnfInfo) })
    .where('id', '=', id)
    .execute();
  await putClusterNodes(test.db, [worker57(id, server)]);
  const heal = (vnfcInstanceId: string[]) =>
    test.call('POST', `/vnflcm/v2/vnf_instances/${id}/heal`, { json: { vnfcInstanceId } });
  expect(await heal(['worker58'])).toMatchObject({
    status: 400,
    json: { detail: expect.stringContaining(`it has worker57 (${vnfc}).`) },
  });
  expect((await heal([server])).json.detail).toContain('belongs to the API /vnflcm/v1');
  const { status, headers } = await heal(['worker57']);
  expect(status).toBe(202);
  const opOcc = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${headers.get('location')?.split('/').at(-1)}`);
  expect(opOcc.json.operationParams.vnfcInstanceId).toEqual([vnfc]);
});

it('a member gets a kubeconfig, once, under the name of the user; readers and other projects get none', async () => {
  const { id } = await givenInstantiated(test);
  const path = `/vnflow/v1/vnf_instances/${id}/kubeconfig`;
  expect(await test.call('POST', path, { json: {} })).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  await putClusterNodes(test.db, [worker57(id, 's', 'master')]);
  const given = await test.call('POST', path, { json: { role: 'view', ttlSeconds: 600 } });
  expect(given.status).toBe(200);
  expect([given.headers.get('content-type'), given.headers.get('cache-control')]).toEqual([
    'application/yaml',
    'no-store',
  ]);
  expect(given.text).toBe('kubeconfig {"user":"somebody","ttlSeconds":600,"role":"view"}');
  expect((await test.call('POST', path, { json: {} })).text).toContain('"ttlSeconds":3600,"role":"edit"');
  const left = await test.db.selectFrom('secret').select('name').where('name', 'like', 'kubeconfig/%').execute();
  expect(left).toEqual([]);
  for (const [json, status] of [
    [{ role: 'root' }, 400],
    [{ ttlSeconds: 599 }, 400],
    [{ ttlSeconds: 86_401 }, 400],
  ] as const)
    expect((await test.call('POST', path, { json })).status).toBe(status);
  expect((await test.call('POST', path, { json: {}, token: `reader@${test.tenant}` })).status).toBe(403);
  expect((await test.call('POST', path, { json: {}, token: 'member@another' })).status).toBe(404);
  const { id: fresh } = await givenInstance(test);
  expect((await test.call('POST', `/vnflow/v1/vnf_instances/${fresh}/kubeconfig`, { json: {} })).json.code).toBe(
    'VNF_NOT_INSTANTIATED',
  );
});

it('an instance that is no registry with TLS has no CA', async () => {
  const { id } = await givenInstantiated(test);
  expect(await test.call('GET', `/vnflow/v1/vnf_instances/${id}/registry/ca`)).toMatchObject({
    status: 404,
    json: { code: 'NOT_FOUND', detail: expect.stringContaining(`VnfInstance ${id} has no CA`) },
  });
});

it('the timeline shows every step with its node, attempt, log and error', async () => {
  const { id, opOccId } = await givenOperation(test);
  const empty = await test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  expect(empty.json).toMatchObject({ id: opOccId, vnfInstanceId: id, operation: 'INSTANTIATE', steps: [] });
  await insertPlanSteps(test.db, opOccId, planInstantiate(SHAPE));
  await putClusterNodes(test.db, [
    {
      vnfInstanceId: id,
      slot: 'workerNode[1]',
      role: 'worker',
      serverId: 's',
      nodeName: 'worker57',
      sshAddress: '172.24.4.57',
      nicAddress: '10.10.0.57',
    },
  ]);
  const step = { vnfLcmOpOccId: opOccId, stepId: 'prepareNode-workerNode-1', attempt: 2, summary: 'prepare worker57' };
  await recordStepStarted(test.db, step);
  await recordStepStarted(test.db, step);
  await recordStepLog(test.db, step, 'last line');
  await recordStepEnded(test.db, { ...step, outcome: { state: 'FAILED', error: { detail: 'disk full' } } });
  const { json } = await test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  expect(json).toMatchObject({ operationState: 'STARTING', expectedSeconds: 325 });
  expect(json.steps).toHaveLength(12);
  expect(json.steps).toContainEqual({
    id: 'prepareNode-workerNode-1',
    kind: 'prepareNode',
    summary: 'prepare worker57',
    slot: 'workerNode[1]',
    node: { name: 'worker57', address: '10.10.0.57' },
    after: ['discover'],
    state: 'FAILED',
    attempt: 2,
    startedAt: expect.any(String),
    endedAt: expect.any(String),
    expectedSeconds: 180,
    logTail: 'last line',
    error: { detail: 'disk full' },
  });
  expect(json.steps).toContainEqual(expect.objectContaining({ id: 'applyStack', state: 'WAITING', attempt: 0 }));
});

it('the whole log of a step comes in parts, of each attempt; an operation that runs says what it waits for', async () => {
  const { opOccId } = await givenOperation(test);
  await insertPlanSteps(test.db, opOccId, planInstantiate(SHAPE));
  await enterState(test.db, opOccId, { state: 'PROCESSING', text: 'granted' });
  const key = { vnfLcmOpOccId: opOccId, stepId: 'prepareNode-workerNode-1', summary: 'prepare worker57' };
  const path = `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/steps/${key.stepId}`;
  const log = async (query = '') => (await test.call('GET', `${path}/log${query}`)).json;
  await recordStepStarted(test.db, key);
  await appendStepLog(test.db, { ...key, attempt: 1 }, 'first attempt\n');
  await recordStepStarted(test.db, key);
  const attempt = { ...key, attempt: 2 };
  await appendStepLog(test.db, attempt, 'one\n');
  expect(await log()).toEqual({ stepId: key.stepId, attempt: 2, attempts: 2, text: 'one\n', next: 1, running: true });
  expect(await log('?attempt=1')).toMatchObject({ text: 'first attempt\n', running: false });
  const later = log('?after=1&wait=20');
  await appendStepLog(test.db, attempt, 'two\n');
  expect(await later).toMatchObject({ text: 'two\n', next: 2 });
  await recordStepProgress(test.db, attempt, 'no answer on port 22 since 12:20');
  expect((await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`)).json).toMatchObject({
    startedBy: 'somebody',
    waitingFor: [{ stepId: key.stepId, summary: 'prepare worker57', progress: 'no answer on port 22 since 12:20' }],
  });
  expect((await test.call('GET', `/vnflcm/v1/vnf_lcm_op_occs/${opOccId}`)).json.waitingFor).toHaveLength(1);
  await recordStepLog(test.db, attempt, 'tail');
  await recordStepEnded(test.db, { ...attempt, outcome: { state: 'DONE' } });
  expect((await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`)).json.waitingFor).toBeUndefined();
  expect(await log('?after=2&wait=20')).toMatchObject({ text: '', running: false });
  expect((await test.call('GET', path)).json).toMatchObject({ id: key.stepId, state: 'DONE', attempt: 2 });
  const reader = { token: `reader@${test.tenant}` };
  expect((await test.call('GET', `${path}/log`, reader)).status).toBe(200);
  for (const wrong of [`${path}x/log`, `${path}x`]) expect((await test.call('GET', wrong)).status).toBe(404);
  expect((await test.call('GET', `${path}/log`, { token: 'member@another' })).status).toBe(404);
  expect((await test.call('GET', `${path}/log?after=-1`)).status).toBe(400);
});

it('controls of a step answer with the step, and the timeline names the operator, the control and its reason', async () => {
  const { opOccId } = await givenOperation(test);
  await insertPlanSteps(test.db, opOccId, planInstantiate(SHAPE));
  await enterState(test.db, opOccId, { state: 'PROCESSING', text: 'granted' });
  const path = `/vnflow/v1/vnf_lcm_op_occs/${opOccId}`;
  const step = `${path}/steps/joinWorker-workerNode-1`;
  expect(await test.call('POST', `${step}/pause`)).toMatchObject({
    status: 200,
    json: { id: 'joinWorker-workerNode-1', state: 'PAUSED', note: 'paused by somebody' },
  });
  const resumed = await test.call('POST', `${step}/resume`);
  expect(resumed).toMatchObject({ status: 200, json: { state: 'WAITING' } });
  expect(resumed.json.note).toBeUndefined();
  expect(await test.call('POST', `${step}/skip`, { json: {} })).toMatchObject({
    status: 400,
    json: { detail: 'reason: is missing.' },
  });
  expect(await test.call('POST', `${step}/skip`, { json: { reason: 'joined by hand' } })).toMatchObject({
    status: 200,
    json: { state: 'SKIPPED', note: 'skipped by somebody: joined by hand' },
  });
  expect(test.engine.asked.map(({ kind }) => kind).slice(-3)).toEqual(['pauseBefore', 'resume', 'skipStep']);
  const { json } = await test.call('GET', `${path}/events`);
  expect(json.events.map(({ text }: { text: string }) => text).slice(-3)).toEqual([
    'join workerNode[1]: paused by somebody',
    'join workerNode[1]: resumed by somebody',
    'join workerNode[1]: skipped by somebody: joined by hand',
  ]);
  await enterState(test.db, opOccId, { state: 'FAILED', text: 'x' });
  expect(await test.call('POST', `${step}/retry`)).toMatchObject({
    status: 409,
    json: { code: 'OPERATION_STATE', detail: expect.stringContaining('FAILED') },
  });
});

it('a step that was skipped stays so, whatever an attempt still under way reports', async () => {
  const { opOccId } = await givenOperation(test);
  await insertPlanSteps(test.db, opOccId, planInstantiate(SHAPE));
  const step = { vnfLcmOpOccId: opOccId, stepId: 'installCni-masterNode-0', attempt: 1, summary: 'install Cilium' };
  await recordStepStarted(test.db, step);
  await recordStepControl(test.db, opOccId, {
    seq: nextSeq(),
    kind: 'skipStep',
    stepId: step.stepId,
    by: 'me',
    reason: 'r',
  });
  await recordStepEnded(test.db, { ...step, outcome: { state: 'WAITING' } });
  expect(await recordStepStarted(test.db, step)).toBe(0);
  const { json } = await test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  expect(json.steps.find(({ id }: { id: string }) => id === step.stepId)).toMatchObject({ state: 'SKIPPED' });
});

it('events come in order, and a poll waits for the next one', async () => {
  const { opOccId } = await givenOperation(test);
  const events = (query: string) => test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/events?${query}`);
  const { json: first } = await events('');
  expect(first.events).toEqual([
    {
      seq: first.next,
      at: expect.any(String),
      type: 'operation',
      state: 'STARTING',
      summary: 'STARTING',
      text: 'INSTANTIATE accepted',
    },
  ]);
  expect((await events(`after=${first.next}`)).json).toEqual({ events: [], next: first.next });
  const waiting = events(`after=${first.next}&wait=10`);
  await enterState(test.db, opOccId, { state: 'PROCESSING', text: 'granted' });
  const began = Date.now();
  const { json: second } = await waiting;
  expect(Date.now() - began).toBeLessThan(2000);
  expect(second.events).toEqual([expect.objectContaining({ state: 'PROCESSING', text: 'granted', seq: second.next })]);
  expect(await events('after=x')).toMatchObject({ status: 400, json: { detail: expect.stringMatching(/^after:/) } });
  expect((await test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${randomUUID()}/events`)).status).toBe(404);
});
