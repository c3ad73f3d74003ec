import { X509Certificate } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { putClusterVim } from '../store/cluster-vims.ts';
import { secretName } from '../store/secrets.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { runKubectl } from './testing/kubectl.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';
import { registerVim } from './testing/v1-guide.ts';

let system: System;
let vnfdId: string;
let connection: Connection;
beforeAll(async () => {
  system = await startSystem();
  connection = await Connection.connect({ address: system.temporal.address });
  vnfdId = await onboardSample(system.http);
});
afterAll(async () => {
  await connection.close();
  await system.stop();
});

async function instantiate(body: object): Promise<{ id: string; operation: string }> {
  const id = await createInstance(system.http, vnfdId);
  return { id, operation: operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body)) };
}

function request(flavour: 'simple' | 'complex', vimName: string) {
  const body = guideRequest(`instantiate-${flavour}.json`, system.simulator.authUrl);
  body.additionalParams.k8s_cluster_installation_param.vim_name = vimName;
  return body;
}

async function vimsNamed(name: string) {
  return (await system.http.get(`/v1.0/vims?name=${name}`)).data.vims;
}

async function terminate(id: string): Promise<void> {
  const answer = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' });
  expect(await settled(system.http, operationOf(answer))).toMatchObject({ operationState: 'COMPLETED' });
}

async function tokenOf(vim: { id: string }): Promise<string> {
  const { bearer_token } = (await system.secrets.get(secretName.vim(vim.id))) as { bearer_token: string };
  return bearer_token;
}

/**
 * What a user of the VIM does: `GET /api/v1/namespaces` at its URL, with its token, trusting its CA and nothing else.
 */
async function useVim(vim: { id: string; auth_url: string }, token?: string) {
  const credentials = (await system.secrets.get(secretName.vim(vim.id))) as Record<string, string>;
  const files = `cat > /tmp/ca <<'END'\n${credentials['ssl_ca_cert']}\nEND\n`;
  const curl = `curl -sS --cacert /tmp/ca -H 'Authorization: Bearer ${token ?? credentials['bearer_token']}' -o /tmp/body -w '%{http_code} ' ${vim.auth_url}/api/v1/namespaces; cat /tmp/body`;
  const worker = system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('worker'));
  return sshExec(system.simulator.nodes, worker?.addresses[0] ?? '', { command: 'bash -s', stdin: files + curl });
}

it.each([
  ['simple', /^https:\/\/172\.24\.4\.\d+:6443$/],
  ['complex', /^https:\/\/172\.24\.4\.\d+:16443$/],
] as const)(
  'a %s cluster becomes a VIM whose token works at its URL, and goes away with the cluster',
  async (flavour, url) => {
    const name = `cluster-${flavour}`;
    const { id, operation } = await instantiate(request(flavour, name));
    expect(await settled(system.http, operation, { timeoutMs: 90_000 })).toMatchObject({ operationState: 'COMPLETED' });
    const [vim, ...others] = await vimsNamed(name);
    expect(others).toEqual([]);
    expect(vim).toMatchObject({
      type: 'kubernetes',
      name,
      auth_url: expect.stringMatching(url),
      auth_cred: {
        bearer_token: '***',
        ssl_ca_cert: expect.stringContaining('BEGIN CERTIFICATE'),
        expires_at: endOf(await tokenOf(vim)),
      },
      vim_project: { name: '' },
      is_default: false,
      status: 'ACTIVE',
      placement_attr: { regions: expect.arrayContaining(['default', 'kube-system']) },
      description: expect.stringContaining(id),
    });
    expect(new X509Certificate(vim.auth_cred.ssl_ca_cert).ca).toBe(true);
    const used = await useVim(vim);
    expect(used.stdout).toMatch(/^200 \{"kind":"NamespaceList"/);
    expect((await useVim(vim, 'a.b.c')).stdout).toMatch(/^401 /);

    const again = await createInstance(system.http, vnfdId);
    const refused = await system.http.post(`/vnflcm/v2/vnf_instances/${again}/instantiate`, request('simple', name));
    expect(refused.data).toMatchObject({ status: 409, code: 'VIM_NAME_TAKEN' });
    expect((await system.http.delete(`/v1.0/vims/${vim.id}`)).status).toBe(409);

    await terminate(id);
    expect(await vimsNamed(name)).toEqual([]);
    expect(await system.secrets.get(secretName.vim(vim.id))).toBeUndefined();
  },
  120_000,
);

function endOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  expect(claims.exp - claims.iat).toBe(24 * 3600);
  return new Date(claims.exp * 1000).toISOString();
}

/** A Secret as an earlier release made it: its token never ends. */
const ENDLESS = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'vnflow-vim',
    namespace: 'kube-system',
    annotations: { 'kubernetes.io/service-account.name': 'vnflow-vim' },
  },
  type: 'kubernetes.io/service-account-token',
});

async function renewalKeepsTheVim(id: string, vim: { id: string; auth_url: string; name: string }): Promise<void> {
  const client = new Client({ connection });
  const schedule = client.schedule.getHandle(`vim-tokens/${id}`);
  expect((await schedule.describe()).spec.intervals).toMatchObject([{ every: 4 * 3600 * 1000 }]);
  const old = await tokenOf(vim);
  await runKubectl(system.simulator, 'apply -f -', ENDLESS);
  // a cluster that gives no token: the VIM keeps the one it has, and the run is repeated
  const commandPrefix = 'kubectl --kubeconfig /etc/kubernetes/admin.conf --namespace kube-system create token';
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix, exitCode: 1, stderr: 'etcdserver: timed out' });
  const run = await client.workflow.start('renewVimToken', {
    taskQueue: 'vnflow',
    workflowId: `by-hand/${id}`,
    args: [{ vnfInstanceId: id }],
  });
  await expect
    .poll(async () => JSON.stringify((await run.describe()).raw.pendingActivities ?? []), { timeout: 20_000 })
    .toMatch(/create token vnflow-vim --duration 86400s failed on .*VIM_REGISTRATION/);
  expect(await tokenOf(vim)).toBe(old);
  system.simulator.nodes.faults.clear();
  expect(await run.result()).toMatch(/^renewed on master\d+: good until \d{4}-/);

  const renewed = await tokenOf(vim);
  expect(renewed).not.toBe(old);
  const [shown] = await vimsNamed(vim.name);
  expect(shown).toMatchObject({ id: vim.id, auth_cred: { bearer_token: '***', expires_at: endOf(renewed) } });
  for (const token of [old, renewed]) expect((await useVim(vim, token)).stdout).toMatch(/^200 /);
  expect(await runKubectl(system.simulator, '-n kube-system get secrets')).not.toMatch(/^vnflow-vim /m);
  const history = JSON.stringify(await run.fetchHistory());
  for (const token of [old, renewed]) expect(history).not.toContain(token.split('.')[2]);
  const metrics = await fetch(`${system.api.url}/metrics`).then((answer) => answer.text());
  expect(metrics).toMatch(new RegExp(`vnflow_vim_token_seconds_left\\{vnf_instance_id="${id}"\\} \\d+`));
}

it('a token of a VIM is renewed before it ends; heal of a control-plane node refreshes the VIM, under its name and id, although the request does not name it', async () => {
  const { id, operation } = await instantiate(request('complex', 'healed'));
  expect(await settled(system.http, operation, { timeoutMs: 90_000 })).toMatchObject({ operationState: 'COMPLETED' });
  const [before] = await vimsNamed('healed');
  await renewalKeepsTheVim(id, before);
  const old = await tokenOf(before);
  await runKubectl(system.simulator, '-n kube-system delete serviceaccount vnflow-vim');
  expect((await useVim(before)).stdout).toMatch(/^401 /);

  const { data: instance } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const victim = instance.instantiatedVnfInfo.vnfcInfo.find(({ vduId }: { vduId: string }) => vduId === 'masterNode');
  const { k8s_cluster_installation_param: again } = request('complex', '').additionalParams;
  delete again.vim_name;
  const body = { vnfcInstanceId: [victim.id], additionalParams: { k8s_cluster_installation_param: again } };
  const heal = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, body));
  expect(await settled(system.http, heal, { timeoutMs: 90_000 })).toMatchObject({ operationState: 'COMPLETED' });
  const [after, ...others] = await vimsNamed('healed');
  expect(others).toEqual([]);
  expect(after).toMatchObject({ id: before.id, auth_url: before.auth_url, updated_at: expect.any(String) });
  expect(await tokenOf(after)).not.toBe(old);
  expect((await useVim(after)).stdout).toMatch(/^200 /);
  await terminate(id);
}, 200_000);

it('without vim_name no VIM is registered', async () => {
  const { data: before } = await system.http.get('/v1.0/vims');
  const body = request('simple', '');
  delete body.additionalParams.k8s_cluster_installation_param.vim_name;
  const { id, operation } = await instantiate(body);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect((await system.http.get('/v1.0/vims')).data).toEqual(before);
  await terminate(id);
}, 60_000);

it('a registration that fails waits for an operator; retry repeats only the registration, and a passing failure is repeated without an operator', async () => {
  const before = system.simulator.fingerprint();
  const { id, operation } = await instantiate(request('simple', 'contested'));
  const taken = await registerVim(system, 'contested');
  expect(await settled(system.http, operation)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: {
      code: 'VIM_NAME_TAKEN',
      stepId: 'registerVim-masterNode-0',
      detail: expect.stringContaining('"contested"'),
    },
  });
  await system.http.post(`${operation}/retry`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'FAILED_TEMP' });

  expect((await system.http.delete(`/v1.0/vims/${taken}`)).status).toBe(204);
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const commandPrefix = 'kubectl --kubeconfig /etc/kubernetes/admin.conf apply';
  const stderr = 'Error from server (InternalError): etcdserver: request timed out';
  system.simulator.nodes.faults.add({ kind: 'command', commandPrefix, times: 1, exitCode: 1, stderr });
  await system.http.post(`${operation}/retry`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  const { data } = await system.http.get(`${operation.replace('/vnflcm/v2', '/vnflow/v1')}/events`);
  expect(data.events.map(({ text }: { text: string }) => text).join('\n')).toContain(
    'kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f - failed on node',
  );
  expect(system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'phase')).toEqual([]);
  expect(await vimsNamed('contested')).toHaveLength(1);
  await terminate(id);
  expect(system.simulator.fingerprint()).toEqual(before);
}, 60_000);

it('a cluster whose API server follows no roles of its own becomes a VIM: what its token may do is a matter of its administrator', async () => {
  const heed = system.simulator.nodes.faults.add({ kind: 'roles-ignored' });
  const { id, operation } = await instantiate(request('simple', 'other-authorizer'));
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  const [vim] = await vimsNamed('other-authorizer');
  expect(vim.placement_attr.regions).toContain('kube-system');
  heed();
  await terminate(id);
}, 60_000);

it('rollback removes the VIM that an attempt had registered before it was cut off', async () => {
  const { id, operation } = await instantiate(request('simple', 'cut-off'));
  const taken = await registerVim(system, 'cut-off');
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'FAILED_TEMP' });
  await system.http.delete(`/v1.0/vims/${taken}`);
  const vim = { authUrl: 'https://172.24.4.9:6443', authCred: {}, namespaces: [], name: 'cut-off' };
  const vimId = await putClusterVim(system.db, { ...vim, vnfInstanceId: id, tenant: await tenantOf(id) });
  await system.secrets.put(secretName.vim(vimId ?? ''), { bearer_token: 'a.b.c' }, vimId ?? '');
  await system.http.post(`${operation}/rollback`);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(await vimsNamed('cut-off')).toEqual([]);
  expect(await system.db.selectFrom('secret').selectAll().execute()).toEqual([]);
}, 60_000);

async function tenantOf(vnfInstanceId: string): Promise<string> {
  const row = await findVnfInstance(system.db, vnfInstanceId);
  return row?.tenant ?? '';
}
