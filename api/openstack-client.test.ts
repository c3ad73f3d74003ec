import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { CLUSTER_PARAMETERS } from '../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { createHostRules } from '../network/host-rules.ts';
import { json as toJson } from '../store/json.ts';
import { secretName } from '../store/secrets.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenPackage } from '../test/testing/api/given.ts';
import { runProgram } from '../test/testing/api/run-program.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';
import { asV1 } from '../test/testing/api/v1-request.ts';

/**
 * The real client from PyPI, against the API. It runs where a Python has it: `python3 -m venv .vnflow/openstack-client
 * && .vnflow/openstack-client/bin/pip install python-openstackclient python-tackerclient`
 */
const OWN = path.join(import.meta.dirname, '../.vnflow/openstack-client/bin/python');
const PYTHON = process.env['VNFLOW_OPENSTACK_PYTHON'] ?? (existsSync(OWN) ? OWN : 'python3');
const hasClient = spawnSync(PYTHON, ['-c', 'import openstackclient, tackerclient']).status === 0;
const RUNNER = path.join(import.meta.dirname, '../test/testing/api/openstack-commands.py');

const test = await startFileApi({ packageHosts: createHostRules({ trusted: ['localhost'] }) });
const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-openstack-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const at = path.join(folder, name);
  writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content));
  return at;
}

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** @param commands by name: the arguments behind those that say where the API is */
async function openstack(version: 1 | 2, commands: Readonly<Record<string, readonly string[]>>) {
  const common = [
    '--os-auth-type',
    'admin_token',
    '--os-token',
    `member@${test.tenant}`,
    '--os-endpoint',
    test.api.url,
  ];
  const input = Object.values(commands).map((words) => [
    ...common,
    '--os-tacker-api-version',
    String(version),
    ...words,
  ]);
  const ran = JSON.parse(await runProgram(PYTHON, [RUNNER], JSON.stringify(input))) as Ran[];
  return Object.fromEntries(Object.keys(commands).map((name, at) => [name, ran[at]]));
}

/** An instance of a package; instantiated: with a master and a worker. */
async function instanceOf(vnfdId: string, state: 'NOT_INSTANTIATED' | 'INSTANTIATED' = 'NOT_INSTANTIATED') {
  const { id } = (await test.call('POST', '/vnflcm/v2/vnf_instances', { json: { vnfdId } })).json;
  if (state === 'NOT_INSTANTIATED') return id;
  const vnfcs = ['masterNode', 'workerNode'].map((vduId, at) => ({
    vduId,
    id: `0b8d2f5c-0000-4000-8000-00000000000${at}`,
  }));
  const info = {
    flavourId: 'simple',
    vnfState: 'STARTED',
    scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 0 }],
    vnfcResourceInfo: vnfcs.map((vnfc) => ({
      ...vnfc,
      computeResource: { resourceId: vnfc.id },
      metadata: { vdu_idx: 0 },
    })),
    vnfcInfo: vnfcs.map(({ vduId, id: resource }) => ({
      id: `${vduId}-${resource}`,
      vduId,
      vnfcResourceInfoId: resource,
      vnfcState: 'STARTED',
    })),
  };
  await test.db
    .updateTable('vnfInstance')
    .set({ instantiationState: state, instantiatedVnfInfo: toJson(info) })
    .where('id', '=', id)
    .execute();
  const { key, keptAs } = CLUSTER_PARAMETERS;
  const parameters = sampleRequest('instantiate-simple').additionalParams[key];
  await test.secrets.put(secretName.kindParameters(id, keptAs), parameters, id);
  return id;
}

/** An operation that waits for a decision, or is under way. */
async function operationIn(vnfdId: string, operationState: 'FAILED_TEMP' | 'PROCESSING'): Promise<string> {
  const id = await instanceOf(vnfdId);
  const { headers } = await test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, {
    json: sampleRequest('instantiate-simple'),
  });
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  await test.db.updateTable('vnfLcmOpOcc').set({ operationState }).where('id', '=', opOccId).execute();
  return opOccId;
}

it.runIf(hasClient).each([1, 2] as const)(
  'every vnflcm command works with API version %i',
  async (version) => {
    const { vnfdId } = await givenPackage(test);
    const request = sampleRequest('instantiate-simple');
    const body = file(`instantiate-${version}.json`, version === 1 ? asV1(request) : request);
    const failed = () => operationIn(vnfdId, 'FAILED_TEMP');
    const id = await instanceOf(vnfdId);
    const ran = await openstack(version, {
      versions: ['vnflcm', 'versions'],
      create: ['vnflcm', 'create', vnfdId, '--name', 'by-client'],
      createAndInstantiate: ['vnflcm', 'create', vnfdId, '--I', body],
      show: ['vnflcm', 'show', id],
      list: ['vnflcm', 'list'],
      update: ['vnflcm', 'update', id, '--I', file('update.json', { vnfInstanceName: 'renamed' })],
      instantiate: ['vnflcm', 'instantiate', await instanceOf(vnfdId), body],
      scale: [
        'vnflcm',
        'scale',
        await instanceOf(vnfdId, 'INSTANTIATED'),
        '--type',
        'SCALE_OUT',
        '--aspect-id',
        'workerNode_scale',
      ],
      heal: ['vnflcm', 'heal', await instanceOf(vnfdId, 'INSTANTIATED'), '--cause', 'test'],
      terminate: ['vnflcm', 'terminate', await instanceOf(vnfdId, 'INSTANTIATED'), '--termination-type', 'FORCEFUL'],
      delete: ['vnflcm', 'delete', await instanceOf(vnfdId)],
      opList: ['vnflcm', 'op', 'list', '--filter', `(eq,vnfInstanceId,${id})`],
      opShow: ['vnflcm', 'op', 'show', await failed()],
      retry: ['vnflcm', 'op', 'retry', await failed()],
      rollback: ['vnflcm', 'op', 'rollback', await failed()],
      fail: ['vnflcm', 'op', 'fail', await failed()],
    });
    expect(Object.entries(ran).filter(([, one]) => one?.status !== 0)).toEqual([]);
    expect(ran['update']?.out).toContain('Update vnf:');
    for (const name of ['instantiate', 'scale', 'heal', 'terminate']) {
      expect(ran[name]?.out).toMatch(/request for VNF Instance .* has been accepted/);
    }
  },
  120_000,
);

/** The configuration of a VIM, as the client reads it from a file. */
const VIM = {
  auth_url: 'http://127.0.0.1:5000/v3',
  username: 'nfv_user',
  password: 'devstack',
  project_name: 'nfv',
  project_domain_name: 'Default',
  user_domain_name: 'Default',
  type: 'openstack',
};

it.runIf(hasClient)(
  'every vnf package and vim command works',
  async () => {
    const { packageId } = await givenPackage(test);
    const created = async () => (await test.call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} })).json.id;
    const csar = file('package.zip', `CSAR ${crypto.randomUUID()}`);
    const config = file('vim.yaml', VIM);
    const at = (name: string) => path.join(folder, name);
    const ran = await openstack(1, {
      create: ['vnf', 'package', 'create', '--user-data', 'a=b'],
      show: ['vnf', 'package', 'show', packageId],
      list: ['vnf', 'package', 'list'],
      upload: ['vnf', 'package', 'upload', await created(), '--path', csar],
      download: ['vnf', 'package', 'download', packageId, '--file', at('csar.zip')],
      artifact: [
        'vnf',
        'package',
        'artifact',
        'download',
        packageId,
        'Scripts/install_k8s_cluster.sh',
        '--file',
        at('a.sh'),
      ],
      update: ['vnf', 'package', 'update', packageId, '--operational-state', 'DISABLED'],
      delete: ['vnf', 'package', 'delete', await created()],
      register: ['vim', 'register', '--config-file', config, '--is-default', 'by-client'],
      vims: ['vim', 'list', '--long'],
      vim: ['vim', 'show', 'by-client'],
      set: ['vim', 'set', 'by-client', '--description', 'described'],
      remove: ['vim', 'delete', 'by-client'],
    });
    expect(Object.entries(ran).filter(([, one]) => one?.status !== 0)).toEqual([]);
    // In a process of its own: within one process the client repeats the header Accept of an earlier command.
    const alone = await openstack(1, {
      vnfd: ['vnf', 'package', 'download', packageId, '--vnfd', '--type', 'application/zip', '--file', at('vnfd.zip')],
    });
    expect(alone['vnfd']).toMatchObject({ status: 0 });
  },
  120_000,
);

it.runIf(hasClient)(
  'cancels an operation, with API version 1 only: for version 2 the client has no such command',
  async () => {
    const { vnfdId } = await givenPackage(test);
    const opOccId = await operationIn(vnfdId, 'PROCESSING');
    const done = await operationIn(vnfdId, 'FAILED_TEMP');
    const cancel = ['vnflcm', 'op', 'cancel'];
    const ran = await openstack(1, {
      cancel: [...cancel, opOccId, '--cancel-mode', 'FORCEFUL'],
      late: [...cancel, done],
    });
    // The command of python-tackerclient 2.6.0 returns no table: cliff ends it with an error after it has succeeded.
    expect(ran['cancel']?.out).toContain(`Cancel request for LCM operation ${opOccId} has been accepted`);
    expect(ran['late']).toMatchObject({ status: 1, err: expect.stringMatching(/FAILED_TEMP/) });
    const { json } = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`);
    expect(json).toMatchObject({ isCancelPending: true, cancelMode: 'FORCEFUL' });
  },
  120_000,
);

it.runIf(hasClient)(
  'uploads a package from a URL',
  async () => {
    const files = createServer((_request, response) => response.end(`CSAR ${crypto.randomUUID()}`));
    files.listen(0, 'localhost');
    await once(files, 'listening');
    try {
      const { id } = (await test.call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} })).json;
      const url = `http://localhost:${(files.address() as AddressInfo).port}/vnf.zip`;
      const { upload } = await openstack(1, { upload: ['vnf', 'package', 'upload', id, '--url', url] });
      expect(upload).toMatchObject({ status: 0 });
      await vi.waitFor(
        async () => {
          const { json } = await test.call('GET', `/vnfpkgm/v1/vnf_packages/${id}`);
          expect(json.onboardingState).toBe('ONBOARDED');
        },
        { timeout: 30_000 },
      );
    } finally {
      files.close();
    }
  },
  120_000,
);

it.runIf(hasClient)(
  'changes a VIM: its name, description and password, and whether it is the default',
  async () => {
    const config = file('vim-register.yaml', VIM);
    const password = file('vim-password.yaml', { ...VIM, password: 'another' });
    const ran = await openstack(1, {
      register: ['vim', 'register', '--config-file', config, 'to-change'],
      rename: ['vim', 'set', 'to-change', '--name', 'changed', '--description', 'of the lab', '--is-default', 'False'],
      password: ['vim', 'set', 'changed', '--config-file', password],
      shown: ['vim', 'show', 'changed', '-f', 'json'],
      remove: ['vim', 'delete', 'changed'],
      gone: ['vim', 'show', 'changed'],
    });
    expect(Object.entries(ran).flatMap(([name, one]) => (one?.status === 0 ? [] : [name]))).toEqual(['gone']);
    expect(JSON.parse(ran['shown']?.out ?? '')).toMatchObject({ name: 'changed', description: 'of the lab' });
    expect(ran['shown']?.out).not.toContain('another');
  },
  120_000,
);

it.runIf(hasClient).each([1, 2] as const)(
  'the client reads what is not offered, with API version %i',
  async (version) => {
    const { vnfdId } = await givenPackage(test);
    const id = await instanceOf(vnfdId, 'INSTANTIATED');
    const none = file('none.json', { extVirtualLinks: [] });
    const subscription = file('subscription.json', { callbackUri: 'http://127.0.0.1:9/' });
    const any = crypto.randomUUID();
    const ran = await openstack(version, {
      connect: ['vnflcm', 'change-ext-conn', id, none],
      subscribe: ['vnflcm', 'subsc', 'create', subscription],
      subscriptions: ['vnflcm', 'subsc', 'list'],
      subscription: ['vnflcm', 'subsc', 'show', any],
      unsubscribe: ['vnflcm', 'subsc', 'delete', any],
      ...(version === 2
        ? {
            change: ['vnflcm', 'change-vnfpkg', id, none],
            alarms: ['vnffm', 'alarm', 'list'],
            measurements: ['vnfpm', 'job', 'list'],
          }
        : {}),
    });
    for (const one of Object.values(ran)) {
      expect(one).toMatchObject({ status: 1 });
      expect(`${one?.out}${one?.err}`).toMatch(
        /vnflow does not offer (change_ext_conn|change_vnfpkg|subscriptions|vnffm|vnfpm)\./,
      );
    }
  },
  120_000,
);

it.skipIf(hasClient)('is skipped: no Python with python-openstackclient and python-tackerclient was found', () => {});
