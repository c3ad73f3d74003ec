import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ActivityDependencies, DEFAULT_BACKUPS, paceAt } from '../activities/dependencies.ts';
import type { StepActivity } from '../activities/step-context.ts';
import { applyStack } from '../activities/steps/apply-stack.ts';
import { discover } from '../activities/steps/discover.ts';
import { growStack } from '../activities/steps/grow-stack.ts';
import { recreateStack } from '../activities/steps/recreate-stack.ts';
import { replaceServers } from '../activities/steps/replace-servers.ts';
import { shrinkStack } from '../activities/steps/shrink-stack.ts';
import type { ActivityKind } from '../domain/steps/index.ts';
import { createHostRules } from '../network/host-rules.ts';
import { packCsar } from '../packages/pack.ts';
import { startSimulator } from '../simulator/index.ts';
import { createClusterBackups } from '../store/cluster-backups.ts';
import { keepOperationFacts, readOperationFact } from '../store/operations.ts';
import { createRegistryCopies } from '../store/registry-copies.ts';
import { secretName } from '../store/secrets.ts';
import { enterState } from './testing/api/enter-state.ts';
import { startTestApi, type TestApi } from './testing/api/test-api.ts';
import { guideRequestV1, V1_SAMPLE } from './testing/v1-guide.ts';

/**
 * The steps that change a stack with scaling groups, run alone against the simulated cloud: without Temporal, and
 * without a login to a node.
 */
const LIMIT = 120_000;
const INSTANCES = '/vnflcm/v1/vnf_instances';

let test: TestApi;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let deps: ActivityDependencies;
let id: string;
beforeAll(async () => {
  simulator = await startSimulator({ speed: 200 });
  test = await startTestApi({ limits: { packageBytes: 10_000_000 } });
  const { db, secrets, log } = test;
  deps = {
    db,
    secrets,
    log,
    pace: paceAt(200),
    build: 'test',
    vimHosts: createHostRules({ trusted: ['127.0.0.1'] }),
    backups: { ...DEFAULT_BACKUPS, store: createClusterBackups(db, randomBytes(32)) },
    registryCopies: { store: createRegistryCopies(db, randomBytes(32)), limitBytes: 0 },
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-groups-'));
  const file = path.join(folder, 'v1.zip');
  await packCsar(V1_SAMPLE, file);
  const { json: pkg } = await test.call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} });
  const content = `/vnfpkgm/v1/vnf_packages/${pkg.id}/package_content`;
  await test.call('PUT', content, {
    body: new Uint8Array(readFileSync(file)),
    headers: { 'Content-Type': 'application/zip' },
  });
  rmSync(folder, { recursive: true });
  const { vnfdId } = (await test.call('GET', `/vnfpkgm/v1/vnf_packages/${pkg.id}`)).json;
  id = (await test.call('POST', INSTANCES, { json: { vnfdId } })).json.id;
}, LIMIT);
afterAll(async () => {
  await test.stop();
  await simulator.stop();
});

/** Lets the store accept an operation. @returns its id */
async function accept(operation: string, json: object): Promise<string> {
  const answer = await test.call('POST', `${INSTANCES}/${id}/${operation}`, { json });
  expect(answer.status, answer.text).toBe(202);
  const opOccId = answer.headers.get('location')?.split('/').at(-1) ?? '';
  await keepOperationFacts(deps.db, opOccId, { grant: { softwareImages: {} } });
  return opOccId;
}

async function run<K extends ActivityKind>(
  vnfLcmOpOccId: string,
  step: StepActivity<K>,
  servers: readonly string[] = [],
): Promise<void> {
  const input = { vnfInstanceId: id, vnfLcmOpOccId, stepId: step.name, kind: step.name, servers };
  const lease = { signal: new AbortController().signal, say: () => undefined, mustHold: () => undefined };
  await step({ deps, input: input as unknown as Parameters<StepActivity<K>>[0]['input'], ...lease });
}

async function complete(opOccId: string, state: 'COMPLETED' | 'ROLLED_BACK' = 'COMPLETED'): Promise<void> {
  const found = await readOperationFact(deps.db, opOccId, 'instantiatedVnfInfo');
  const instance =
    state === 'COMPLETED'
      ? { instance: { instantiationState: 'INSTANTIATED', instantiatedVnfInfo: found ?? {} } as const }
      : {};
  await enterState(deps.db, opOccId, { state, text: state, ...instance });
}

interface Shown {
  readonly id: string;
  readonly vduId: string;
  readonly metadata: { readonly vdu_idx: number };
}
/** Servers of the workers by slot, the oldest first. */
async function workers(): Promise<Record<string, string>> {
  const { json } = await test.call('GET', `${INSTANCES}/${id}`);
  const found: Shown[] = json.instantiatedVnfInfo.vnfcResourceInfo;
  return Object.fromEntries(
    found
      .filter(({ vduId }) => vduId === 'workerNode')
      .map((vnfc) => [`workerNode[${vnfc.metadata.vdu_idx}]`, vnfc.id]),
  );
}
const servers = () => Object.keys(simulator.cloud.state.servers).sort();

it(
  'creates the groups with the counts of the level; every server has a slot',
  async () => {
    const body = guideRequestV1('instantiate-complex', simulator, 'vim-a');
    const access = { username: 'nfv_user', password: 'devstack', project: 'nfv' };
    const vim = {
      vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
      interfaceInfo: { endpoint: simulator.authUrl },
      accessInfo: access,
    };
    body.vimConnectionInfo = [{ ...vim, id: 'vim-a', vimType: 'openstack' }];
    const opOccId = await accept('instantiate', body);
    await run(opOccId, applyStack);
    await run(opOccId, applyStack);
    await run(opOccId, discover);
    await deps.secrets.put(secretName.vimConnectionInfo(id), { 'vim-a': vim }, id);
    const parameters = body.additionalParams.k8s_cluster_installation_param;
    for (const role of ['master', 'worker']) parameters[`${role}_node`].vdu_id = `${role}Node`;
    await deps.secrets.put(secretName.kindParameters(id, 'clusterParameters'), parameters, id);
    await complete(opOccId);
    expect(Object.keys(await workers()).sort()).toEqual(['workerNode[0]', 'workerNode[1]']);
    expect(servers()).toHaveLength(5);
  },
  LIMIT,
);

it(
  'grows once, however often the step runs; those that are there stay',
  async () => {
    const before = await workers();
    const opOccId = await accept('scale', { type: 'SCALE_OUT', aspectId: 'worker_instance', numberOfSteps: '1' });
    await run(opOccId, growStack, ['workerNode[2]']);
    await run(opOccId, growStack, ['workerNode[2]']);
    await run(opOccId, discover);
    await complete(opOccId);
    expect(await workers()).toEqual({ ...before, 'workerNode[2]': expect.any(String) });
    expect(servers()).toHaveLength(6);
  },
  LIMIT,
);

it(
  'replaces one server; its member, its slot and the others stay',
  async () => {
    const before = await workers();
    const opOccId = await accept('heal', { vnfcInstanceId: [before['workerNode[1]']] });
    await run(opOccId, replaceServers, ['workerNode[1]']);
    await run(opOccId, replaceServers, ['workerNode[1]']);
    await run(opOccId, discover);
    await complete(opOccId);
    const after = await workers();
    expect(after).toEqual({ ...before, 'workerNode[1]': expect.any(String) });
    expect(after['workerNode[1]']).not.toBe(before['workerNode[1]']);
    expect(servers()).toHaveLength(6);
  },
  LIMIT,
);

it(
  'shrinks by exactly the member that the plan names: the oldest, although it may have been healed',
  async () => {
    const before = await workers();
    const [oldest = '', ...others] = Object.keys(before);
    const request = { type: 'SCALE_IN', aspectId: 'worker_instance' };
    const { json } = await test.call('POST', `/vnflow/v1/vnf_instances/${id}/plan`, {
      json: { operation: 'SCALE', request },
    });
    expect(json.steps[0].slots).toEqual([oldest]);
    const opOccId = await accept('scale', request);
    await run(opOccId, shrinkStack, [oldest]);
    await run(opOccId, shrinkStack, [oldest]);
    await run(opOccId, discover);
    await complete(opOccId);
    expect(await workers()).toEqual(Object.fromEntries(others.map((slot) => [slot, before[slot]])));
    expect(servers()).toHaveLength(5);
  },
  LIMIT,
);

it(
  'takes back a scale out: the member that was added goes, the older ones stay',
  async () => {
    const before = [await workers(), servers()];
    const opOccId = await accept('scale', { type: 'SCALE_OUT', aspectId: 'worker_instance' });
    const [free = ''] = ['workerNode[0]', 'workerNode[1]', 'workerNode[2]'].filter(
      (slot) => !(slot in (before[0] ?? {})),
    );
    await run(opOccId, growStack, [free]);
    expect(servers()).toHaveLength(6);
    await run(opOccId, shrinkStack, [free]);
    await run(opOccId, discover);
    await complete(opOccId, 'ROLLED_BACK');
    expect([await workers(), servers()]).toEqual(before);
  },
  LIMIT,
);

it(
  'makes the whole stack again with the sizes that it had',
  async () => {
    const before = servers();
    const opOccId = await accept('heal', {});
    await run(opOccId, recreateStack);
    await run(opOccId, discover);
    await complete(opOccId);
    expect(servers()).toHaveLength(5);
    expect(servers().filter((server) => before.includes(server))).toEqual([]);
    expect(Object.keys(await workers()).sort()).toEqual(['workerNode[0]', 'workerNode[1]']);
  },
  LIMIT,
);
