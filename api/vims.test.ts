import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority } from '../activities/registry/certificates.ts';
import { asVimConnectionInfo, authoritiesOf } from '../domain/vim-connection.ts';
import { unsealedVim } from '../planning/registered-vim.ts';
import { putClusterVim } from '../store/cluster-vims.ts';
import { secretName } from '../store/secrets.ts';
import { findVim } from '../store/vims.ts';
import { enterState } from '../test/testing/api/enter-state.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance, givenInstantiated, givenOperation } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';

const test = await startFileApi();

/** A VIM as the client sends it. */
function vim(changes: Record<string, unknown> = {}) {
  return {
    auth_url: 'http://127.0.0.1:5000/v3',
    type: 'openstack',
    vim_project: { name: 'nfv', project_domain_name: 'Default' },
    auth_cred: { username: 'nfv_user', password: 'devstack', user_domain_name: 'Default', cert_verify: 'True' },
    name: 'VIM0',
    is_default: false,
    ...changes,
  };
}

async function registered(changes: Record<string, unknown> = {}, token?: string): Promise<string> {
  const answer = await test.call('POST', '/v1.0/vims.json', {
    json: { vim: vim(changes) },
    ...(token ? { token } : {}),
  });
  return answer.json.vim.id;
}

it('registers a VIM after a login, and never shows its password', async () => {
  const { status, json, text } = await test.call('POST', '/v1.0/vims.json', {
    json: { vim: vim({ description: 'd' }) },
  });
  expect(status).toBe(201);
  expect(text).not.toContain('devstack');
  expect(json.vim).toMatchObject({
    type: 'openstack',
    tenant_id: test.tenant,
    name: 'VIM0',
    description: 'd',
    is_default: false,
    status: 'ACTIVE',
    auth_url: 'http://127.0.0.1:5000/v3',
    auth_cred: { username: 'nfv_user', password: '***', user_domain_name: 'Default', cert_verify: 'True' },
    vim_project: { name: 'nfv', project_domain_name: 'Default' },
    placement_attr: { regions: ['RegionOne'] },
    extra: {},
  });
  expect(await test.secrets.get(secretName.vim(json.vim.id))).toMatchObject({ password: 'devstack' });
  const rows = await test.db.selectFrom('vim').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('devstack');
  for (const path of [`/v1.0/vims/${json.vim.id}.json`, `/v1.0/vims/${json.vim.id}`]) {
    expect((await test.call('GET', path)).json).toEqual({ vim: json.vim });
  }
});

it('keeps the CA certificate of a VIM for its operations, and shows it', async () => {
  const { certificate } = createAuthority('the CA of the cloud');
  const auth_cred = { username: 'nfv_user', password: 'devstack', ssl_ca_cert: certificate };
  const { status, json } = await test.call('POST', '/v1.0/vims', { json: { vim: vim({ auth_cred }) } });
  expect([status, json.vim.auth_cred.ssl_ca_cert]).toEqual([201, certificate]);
  const row = await findVim(test.db, test.tenant, json.vim.id);
  if (!row) throw new Error('the VIM is not in the store');
  const { interfaceInfo } = asVimConnectionInfo(await unsealedVim(test, row));
  expect(authoritiesOf(interfaceInfo ?? {})).toBe(certificate);
});

it('refuses a CA certificate that cannot be read, when it arrives', async () => {
  const auth_cred = { username: 'nfv_user', password: 'devstack', ssl_ca_cert: 'no certificate' };
  const refused = await test.call('POST', '/v1.0/vims', { json: { vim: vim({ auth_cred }) } });
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.text).toContain('vim.auth_cred.ssl_ca_cert: is no certificate in PEM form');
  const id = await registered();
  const change = { json: { vim: { auth_cred: { ssl_ca_cert: 'no certificate' } } } };
  expect(await test.call('PUT', `/v1.0/vims/${id}`, change)).toMatchObject({ status: 400 });
});

it.each([
  [
    'an unreachable VIM',
    vim({ auth_url: 'http://unreachable:5000' }),
    503,
    'VimConnectionException',
    /does not answer/,
  ],
  [
    'a wrong password',
    vim({ auth_cred: { username: 'a', password: 'wrong' } }),
    422,
    'VimUnauthorizedException',
    /refused/,
  ],
  ['no password', vim({ auth_cred: { username: 'a' } }), 400, 'HTTPBadRequest', /vim\.auth_cred\.password: is missing/],
  ['no project', vim({ vim_project: {} }), 400, 'HTTPBadRequest', /vim\.vim_project\.name: is missing/],
  ['another type', vim({ type: 'kubernetes' }), 400, 'HTTPBadRequest', /vim\.type: must be "openstack"/],
  ['an auth_url that is no URL', vim({ auth_url: 'gopher://x' }), 400, 'HTTPBadRequest', /vim\.auth_url: must be/],
])('%s is refused with a TackerError and keeps nothing', async (_name, body, status, type, words) => {
  const before = await test.db.selectFrom('vim').select('id').execute();
  const answer = await test.call('POST', '/v1.0/vims.json', { json: { vim: body } });
  expect(answer).toMatchObject({
    status,
    json: { TackerError: { type, message: expect.stringMatching(words), detail: expect.stringMatching(/./) } },
  });
  expect(Object.keys(answer.json.TackerError).sort()).toEqual(['detail', 'message', 'type']);
  expect(await test.db.selectFrom('vim').select('id').execute()).toEqual(before);
});

it('honours the look-ups of the client: by id, by name, fields', async () => {
  const id = await registered({ name: 'looked-up' });
  const list = async (query: string) => (await test.call('GET', `/v1.0/vims.json?${query}`)).json;
  expect(await list(`id=${id}&fields=id`)).toEqual({ vims: [{ id }] });
  expect(await list('name=looked-up&fields=id')).toEqual({ vims: [{ id }] });
  expect(await list('name=nobody&fields=id')).toEqual({ vims: [] });
  expect((await list('is_default=True')).vims).toEqual([]);
  expect((await list('')).vims.length).toBeGreaterThan(1);
});

it('one default VIM per project', async () => {
  const token = `member@${randomUUID()}`;
  const id = await registered({ is_default: true }, token);
  const second = await test.call('POST', '/v1.0/vims.json', { json: { vim: vim({ is_default: true }) }, token });
  expect(second).toMatchObject({
    status: 409,
    json: { TackerError: { message: expect.stringMatching(/^is_default: the project has a default VIM/) } },
  });
  expect(await test.db.selectFrom('secret').select('name').where('name', 'like', 'vim/%').execute()).toHaveLength(
    (await test.db.selectFrom('vim').select('id').execute()).length,
  );
  expect(
    (await test.call('PUT', `/v1.0/vims/${id}.json`, { json: { vim: { is_default: false } }, token })).status,
  ).toBe(200);
  expect((await test.call('POST', '/v1.0/vims.json', { json: { vim: vim({ is_default: true }) }, token })).status).toBe(
    201,
  );
});

it('changes a VIM; new credentials are tried first', async () => {
  const id = await registered();
  const put = (changes: unknown) => test.call('PUT', `/v1.0/vims/${id}.json`, { json: { vim: changes } });
  expect((await put({ name: 'new', auth_cred: { password: 'wrong' } })).status).toBe(422);
  expect((await test.call('GET', `/v1.0/vims/${id}`)).json.vim.name).toBe('VIM0');
  const changed = await put({ name: 'new', auth_cred: { password: 'changed' } });
  expect(changed).toMatchObject({ status: 200, json: { vim: { name: 'new', auth_cred: { password: '***' } } } });
  expect(await test.secrets.get(secretName.vim(id))).toMatchObject({ username: 'nfv_user', password: 'changed' });
  expect((await put({ type: 'kubernetes' })).status).toBe(400);
  expect((await put({ auth_url: 'http://elsewhere' })).status).toBe(400);
});

it('deletes a VIM with its secret', async () => {
  const id = await registered();
  expect(await test.call('DELETE', `/v1.0/vims/${id}.json`)).toMatchObject({ status: 204, text: '' });
  expect(await test.secrets.get(secretName.vim(id))).toBeUndefined();
  const gone = await test.call('GET', `/v1.0/vims/${id}.json`);
  expect(gone).toMatchObject({ status: 404, json: { TackerError: { type: 'VimNotFoundException' } } });
});

/** A VIM that is the cluster of an instance, as `registerVim` makes it. */
async function clusterVim(vnfInstanceId: string, name: string): Promise<string> {
  const authCred = { bearer_token: '***', ssl_ca_cert: 'pem' };
  const row = {
    vnfInstanceId,
    name,
    authCred,
    tenant: test.tenant,
    authUrl: 'https://172.24.4.3:6443',
    namespaces: [],
  };
  const id = (await putClusterVim(test.db, row)) ?? '';
  await test.secrets.put(secretName.vim(id), { ...authCred, bearer_token: 'canary-token' }, id);
  return id;
}

it("shows a cluster's VIM without its token, and leaves it to its cluster", async () => {
  const { id } = await givenInstantiated(test);
  const vimId = await clusterVim(id, 'in-use');
  const shown = await test.call('GET', '/v1.0/vims.json?name=in-use');
  expect(shown.json.vims).toEqual([
    expect.objectContaining({ id: vimId, type: 'kubernetes', auth_cred: { bearer_token: '***', ssl_ca_cert: 'pem' } }),
  ]);
  const put = (changes: object) => test.call('PUT', `/v1.0/vims/${vimId}`, { json: { vim: changes } });
  for (const changes of [{ name: 'other' }, { is_default: true }, { auth_cred: { bearer_token: 'x' } }]) {
    const refused = await put(changes);
    expect(refused).toMatchObject({ status: 409, json: { TackerError: { message: expect.stringContaining(id) } } });
  }
  expect(await put({ description: 'mine' })).toMatchObject({ status: 200, json: { vim: { description: 'mine' } } });
  const kept = await test.call('DELETE', `/v1.0/vims/${vimId}`);
  expect(kept).toMatchObject({ status: 409, json: { TackerError: { message: expect.stringContaining('in use') } } });
  expect(await test.secrets.get(secretName.vim(vimId))).toBeDefined();
});

it("deletes a cluster's VIM that a failed operation left behind", async () => {
  const { id, opOccId } = await givenOperation(test);
  const vimId = await clusterVim(id, 'left-behind');
  expect((await test.call('DELETE', `/v1.0/vims/${vimId}`)).status).toBe(409);
  await enterState(test.db, opOccId, { state: 'FAILED', text: 'FAILED' });
  expect((await test.call('DELETE', `/v1.0/vims/${vimId}`)).status).toBe(204);
  expect(await test.secrets.get(secretName.vim(vimId))).toBeUndefined();
});

it('makes no cluster in a VIM that is a cluster', async () => {
  const vimId = await clusterVim((await givenInstantiated(test)).id, 'no-openstack');
  const { id } = await givenInstance(test);
  const request = {
    ...sampleRequest('instantiate-simple'),
    vimConnectionInfo: { vim1: { vimId, vimType: 'kubernetes' } },
  };
  const { status, json } = await test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, { json: request });
  expect({ status, ...json }).toMatchObject({
    status: 400,
    detail: expect.stringContaining(
      `vimConnectionInfo.vim1.vimId: VIM ${vimId} ("no-openstack") is a Kubernetes cluster`,
    ),
  });
});

it('refuses a vim_name that a VIM has, or a cluster that is just being made, before the operation starts', async () => {
  const named = (name: string) => {
    const request = sampleRequest('instantiate-simple');
    request.additionalParams.k8s_cluster_installation_param.vim_name = name;
    return request;
  };
  const instantiate = async (name: string) => {
    const { id } = await givenInstance(test);
    return test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, { json: named(name) });
  };
  const vimId = await registered({ name: 'name-of-openstack' });
  const { json } = await test.call('GET', '/v1.0/vims');
  const before = await test.db.selectFrom('vnfLcmOpOcc').select('id').execute();
  expect(await instantiate('name-of-openstack')).toMatchObject({
    status: 409,
    json: { code: 'VIM_NAME_TAKEN', detail: expect.stringContaining(vimId) },
  });
  expect(await test.db.selectFrom('vnfLcmOpOcc').select('id').execute()).toEqual(before);
  expect((await test.call('GET', '/v1.0/vims')).json).toEqual(json);

  const first = await instantiate('name-to-be');
  expect(first.status).toBe(202);
  const second = await instantiate('name-to-be');
  expect(second).toMatchObject({ status: 409, json: { detail: expect.stringContaining('is becoming the VIM') } });
  const opOccId = first.headers.get('location')?.split('/').at(-1) ?? '';
  await enterState(test.db, opOccId, { state: 'ROLLED_BACK', text: 'ROLLED_BACK' });
  expect((await instantiate('name-to-be')).status).toBe(202);
});

it("another project's VIM does not exist, not even for instantiate", async () => {
  const id = await registered();
  const token = `member@${randomUUID()}`;
  for (const method of ['GET', 'DELETE']) {
    expect((await test.call(method, `/v1.0/vims/${id}.json`, { token })).status).toBe(404);
  }
  expect((await test.call('GET', '/v1.0/vims.json', { token })).json).toEqual({ vims: [] });
});

it('instantiate takes what it needs from a registered VIM: by vimId, or the default one', async () => {
  const vimId = await registered({ auth_cred: { username: 'u', password: 'registered-pw', cert_verify: 'False' } });
  const expected = {
    vimId,
    vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
    interfaceInfo: {
      endpoint: 'http://127.0.0.1:5000/v3',
      skipCertificateHostnameCheck: true,
      skipCertificateVerification: true,
    },
    accessInfo: {
      username: 'u',
      password: 'registered-pw',
      region: 'RegionOne',
      project: 'nfv',
      projectDomain: 'Default',
      userDomain: 'Default',
    },
  };
  const { vimConnectionInfo: _given, ...request } = sampleRequest('instantiate-simple');
  const partial = { vim1: { vimId, vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3' } };
  expect(await sealedConnections({ ...request, vimConnectionInfo: partial })).toEqual({ vim1: expected });

  await test.call('PUT', `/v1.0/vims/${vimId}.json`, { json: { vim: { is_default: true } } });
  expect(await sealedConnections(request)).toEqual({ default: expected });
});

async function sealedConnections(request: unknown): Promise<unknown> {
  const { id } = await givenInstance(test);
  const answer = await test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, { json: request });
  expect(answer).toMatchObject({ status: 202 });
  const opOccId = answer.headers.get('location')?.split('/').at(-1) ?? '';
  expect((await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`)).text).not.toContain('registered-pw');
  const sealed = (await test.secrets.get(secretName.operationParams(opOccId))) as { vimConnectionInfo: unknown };
  return sealed.vimConnectionInfo;
}
