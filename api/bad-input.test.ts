import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstance } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';
import type { TestApi } from '../test/testing/api/test-api.ts';

const test = await startFileApi();
const instance = await givenInstance(test);
let before: Record<string, number>;
beforeEach(async () => {
  before = await rows();
});

const INSTANCES = '/vnflcm/v2/vnf_instances';

/** Counts the rows that a refused request must not change. */
async function rows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['vnfInstance', 'vnfLcmOpOcc', 'lcmRequest', 'secret', 'vim', 'vnfPackage'] as const) {
    counts[table] = (
      await test.db
        .selectFrom(table)
        .select((eb) => eb.lit(1).as('one'))
        .execute()
    ).length;
  }
  return counts;
}

// biome-ignore lint/suspicious/noExplicitAny: a change may reach any member
type Change = (body: any) => unknown;
const cluster = (body: Parameters<Change>[0]) => body.additionalParams.k8s_cluster_installation_param;

/** The change to the guide's request; then status, code and words of the answer. */
const INSTANTIATE: [name: string, change: Change, status: number, code: string, words: RegExp][] = [
  ['no flavour', (body) => delete body.flavourId, 400, 'BAD_REQUEST', /flavourId: is missing/],
  ['flavour of a wrong type', (body) => (body.flavourId = 7), 400, 'BAD_REQUEST', /flavourId: expected string/],
  ['unknown flavour', (body) => (body.flavourId = 'huge'), 400, 'FLAVOUR_UNKNOWN', /flavourId: .*huge.*simple/],
  ['unknown level', (body) => (body.instantiationLevelId = 'x'), 400, 'BAD_REQUEST', /instantiationLevelId.*x/],
  [
    'vimConnectionInfo as in v1',
    (body) => (body.vimConnectionInfo = []),
    400,
    'BAD_REQUEST',
    /^vimConnectionInfo: expected record/,
  ],
  [
    'no vimType',
    (body) => delete body.vimConnectionInfo.vim1.vimType,
    400,
    'BAD_REQUEST',
    /vimConnectionInfo\.vim1\.vimType: is missing/,
  ],
  [
    'a Kubernetes VIM',
    (body) => (body.vimConnectionInfo.vim1.vimType = 'ETSINFV.KUBERNETES.V_1'),
    400,
    'BAD_REQUEST',
    /vim1\.vimType: must be ETSINFV\.OPENSTACK/,
  ],
  [
    'an endpoint that is no URL',
    (body) => (body.vimConnectionInfo.vim1.interfaceInfo.endpoint = 'file:///etc/passwd'),
    400,
    'BAD_REQUEST',
    /interfaceInfo\.endpoint: must be an http or https URL/,
  ],
  [
    'a password in the endpoint',
    (body) => (body.vimConnectionInfo.vim1.interfaceInfo.endpoint = 'http://u:hunter2@h/v3'),
    400,
    'BAD_REQUEST',
    /interfaceInfo\.endpoint: must not hold user name and password\.$/,
  ],
  [
    'a query in the endpoint',
    (body) => (body.vimConnectionInfo.vim1.interfaceInfo.endpoint = 'http://h/api?x='),
    400,
    'BAD_REQUEST',
    /interfaceInfo\.endpoint: must have no query and no fragment\.$/,
  ],
  [
    'an endpoint at a metadata address',
    (body) => (body.vimConnectionInfo.vim1.interfaceInfo.endpoint = 'http://169.254.169.254/v3'),
    422,
    'VIM_ADDRESS',
    /interfaceInfo\.endpoint: .*metadata address/,
  ],
  [
    'no VIM password',
    (body) => delete body.vimConnectionInfo.vim1.accessInfo.password,
    400,
    'BAD_REQUEST',
    /accessInfo\.password: is missing/,
  ],
  [
    'no VIM project',
    (body) => delete body.vimConnectionInfo.vim1.accessInfo.project,
    400,
    'BAD_REQUEST',
    /accessInfo\.project: is missing/,
  ],
  [
    'a VIM that is not registered',
    (body) => (body.vimConnectionInfo = { vim1: { vimId: 'no-such', vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3' } }),
    404,
    'NOT_FOUND',
    /VIM no-such not found.*vimConnectionInfo\.vim1\.vimId/,
  ],
  [
    'half a VIM and no vimId',
    (body) => {
      delete body.vimConnectionInfo.vim1.vimId;
      delete body.vimConnectionInfo.vim1.accessInfo;
    },
    400,
    'BAD_REQUEST',
    /vim1\.accessInfo: is missing; give it, or the vimId/,
  ],
  ['no VIM and no default VIM', (body) => delete body.vimConnectionInfo, 422, 'VIM_MISSING', /No VimConnectionInfo/],
  [
    'no additionalParams',
    (body) => delete body.additionalParams,
    400,
    'BAD_REQUEST',
    /k8s_cluster_installation_param: is missing/,
  ],
  [
    'no user data for a VDU of two servers',
    (body) => {
      delete body.additionalParams['lcm-operation-user-data'];
      delete body.additionalParams['lcm-operation-user-data-class'];
    },
    400,
    'BAD_REQUEST',
    /DefaultUserData.*makes one server of workerNode, and the level has 2\. Name StandardUserData/,
  ],
  [
    'one user data key',
    (body) => delete body.additionalParams['lcm-operation-user-data'],
    400,
    'BAD_REQUEST',
    /'lcm-operation-user-data' or 'lcm-operation-user-data-class' missing/,
  ],
  [
    'a user data class of the package, which may not run code',
    (body) => (body.additionalParams['lcm-operation-user-data-class'] = 'Mine'),
    422,
    'PACKAGE_CODE_DISABLED',
    /lcm-operation-user-data-class: Mine is code of the package.*VNFLOW_ALLOW_PACKAGE_CODE=1/,
  ],
  [
    'a user data class in a file that the package does not have',
    (body) => {
      body.additionalParams['lcm-operation-user-data-class'] = 'Mine';
      body.additionalParams['lcm-operation-user-data'] = './UserData/no_such.py';
    },
    400,
    'BAD_REQUEST',
    /lcm-operation-user-data: the package has no Python file UserData\/no_such\.py/,
  ],
  [
    'a user data class that is no name',
    (body) => (body.additionalParams['lcm-operation-user-data-class'] = 'Mine; import os'),
    400,
    'BAD_REQUEST',
    /lcm-operation-user-data-class: must be the name of a class/,
  ],
  [
    'an additionalParams key that is not allowed',
    (body) => (body.additionalParams['a$b'] = 1),
    400,
    'BAD_REQUEST',
    /additionalParams\.a\$b: keys are/,
  ],
  [
    'no cluster parameters',
    (body) => delete body.additionalParams.k8s_cluster_installation_param,
    400,
    'BAD_REQUEST',
    /k8s_cluster_installation_param: is missing/,
  ],
  [
    'cluster parameters as text',
    (body) => (body.additionalParams.k8s_cluster_installation_param = '{}'),
    400,
    'BAD_REQUEST',
    /k8s_cluster_installation_param: expected object/,
  ],
  [
    'unknown script_path',
    (body) => (cluster(body).script_path = 'Scripts/other.sh'),
    400,
    'BAD_REQUEST',
    /script_path: .*Scripts\/other\.sh/,
  ],
  [
    'a script_path outside',
    (body) => (cluster(body).script_path = '../../etc/passwd'),
    400,
    'BAD_REQUEST',
    /script_path/,
  ],
  [
    'unknown vdu_id',
    (body) => (cluster(body).worker_node.vdu_id = 'x'),
    400,
    'BAD_REQUEST',
    /worker_node\.vdu_id: x is not in the VNF package; it has masterNode, workerNode/,
  ],
  [
    'a vdu_id that objects have',
    (body) => (cluster(body).worker_node.vdu_id = 'constructor'),
    400,
    'BAD_REQUEST',
    /worker_node\.vdu_id/,
  ],
  [
    'the same VDU twice',
    (body) => (cluster(body).worker_node.vdu_id = 'masterNode'),
    400,
    'BAD_REQUEST',
    /worker_node/,
  ],
  [
    'unknown ssh_cp_name',
    (body) => (cluster(body).master_node.ssh_cp_name = 'x'),
    400,
    'BAD_REQUEST',
    /master_node\.ssh_cp_name: x is not in the VNF package; it has masterNode_CP1, masterNode_CP1_floating_ip/,
  ],
  [
    "another VDU's ssh_cp_name",
    (body) => (cluster(body).worker_node.ssh_cp_name = 'masterNode_CP1'),
    400,
    'BAD_REQUEST',
    /worker_node\.ssh_cp_name/,
  ],
  [
    'a server as nic_cp_name',
    (body) => (cluster(body).worker_node.nic_cp_name = 'workerNode'),
    400,
    'BAD_REQUEST',
    /worker_node\.nic_cp_name/,
  ],
  [
    'unknown cluster_cp_name',
    (body) => (cluster(body).master_node.cluster_cp_name = 'x'),
    400,
    'BAD_REQUEST',
    /master_node\.cluster_cp_name/,
  ],
  [
    'unknown cluster_fip_name',
    (body) => (cluster(body).master_node.cluster_fip_name = 'x'),
    400,
    'BAD_REQUEST',
    /master_node\.cluster_fip_name/,
  ],
  [
    'no node password',
    (body) => delete cluster(body).worker_node.password,
    400,
    'BAD_REQUEST',
    /worker_node\.password: is missing; give password or private_key/,
  ],
  [
    'a private key that cannot be read',
    (body) =>
      (cluster(body).worker_node.private_key =
        '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n'),
    400,
    'BAD_REQUEST',
    /^(?!.*canary).*worker_node\.private_key: is no private key that can be read/s,
  ],
  [
    'a user name that is an option',
    (body) => (cluster(body).master_node.username = '-oProxyCommand=x'),
    400,
    'BAD_REQUEST',
    /master_node\.username: must be a Linux user name/,
  ],
  [
    'a pod_cidr that is none',
    (body) => (cluster(body).master_node.pod_cidr = '10.0.0.0; reboot'),
    400,
    'BAD_REQUEST',
    /master_node\.pod_cidr: must be an IPv4 network/,
  ],
  [
    'a pod_cidr for which there are no addresses',
    (body) => (cluster(body).master_node.pod_cidr = '169.254.0.0/16'),
    400,
    'BAD_REQUEST',
    /master_node\.pod_cidr: must not be in 169\.254\.0\.0\/16/,
  ],
  [
    'a cluster_cidr of two addresses',
    (body) => (cluster(body).master_node.cluster_cidr = '10.96.0.0/31'),
    400,
    'BAD_REQUEST',
    /master_node\.cluster_cidr: must not be smaller than a \/28/,
  ],
  [
    'the placeholder of the guides as proxy',
    (body) => (cluster(body).proxy = { http_proxy: 'http://user1:password1@host1:port1' }),
    400,
    'BAD_REQUEST',
    /proxy\.http_proxy: host1:port1 is the placeholder of the guides; write host and port of your proxy/,
  ],
  [
    'a proxy that is a command, without naming its password',
    (body) => (cluster(body).proxy = { https_proxy: 'http://user:secret-word@proxy:3128;reboot' }),
    400,
    'BAD_REQUEST',
    /^(?!.*secret-word).*proxy\.https_proxy: has a character that is not allowed/,
  ],
  [
    'a no_proxy that is a command',
    (body) => (cluster(body).proxy = { no_proxy: '10.0.0.1,$(reboot)' }),
    400,
    'BAD_REQUEST',
    /proxy\.no_proxy: entry 2 must be a name/,
  ],
  [
    'a k8s_node_cidr that is none',
    (body) => (cluster(body).proxy = { k8s_node_cidr: '10.10.0.0/33' }),
    400,
    'BAD_REQUEST',
    /proxy\.k8s_node_cidr: must be an IPv4 network/,
  ],
  [
    'extVirtualLinks without extCps',
    (body) => (body.extVirtualLinks[0].extCps = []),
    400,
    'BAD_REQUEST',
    /extVirtualLinks\.0\.extCps/,
  ],
];

it.each(INSTANTIATE)(
  'instantiate with %s is refused and changes nothing',
  async (_name, change, status, code, words) => {
    const body = sampleRequest('instantiate-simple');
    change(body);
    const answer = await test.call('POST', `${INSTANCES}/${instance.id}/instantiate`, { json: body });
    expect(answer).toMatchObject({ status, json: { status, code, detail: expect.stringMatching(words) } });
    expect(answer.json.title).toBeTruthy();
    expect(answer.json.remedy).toBeTruthy();
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('version')).toBe('2.0.0');
    const plan = await test.call('POST', `/vnflow/v1/vnf_instances/${instance.id}/plan`, {
      json: { operation: 'INSTANTIATE', request: body },
    });
    expect(plan).toMatchObject({ status, json: { code } });
    expect(await rows()).toEqual(before);
  },
);

it('several control-plane nodes without a common address are refused, and the field is named', async () => {
  const body = sampleRequest('instantiate-complex');
  const { master_node } = body.additionalParams.k8s_cluster_installation_param;
  master_node.cluster_cp_name = master_node.nic_cp_name;
  const answer = await test.call('POST', `${INSTANCES}/${instance.id}/instantiate`, { json: body });
  expect(answer).toMatchObject({
    status: 400,
    json: {
      code: 'BAD_REQUEST',
      detail: expect.stringMatching(/master_node\.cluster_cp_name: 3 control-plane nodes need/),
    },
  });
  expect(await rows()).toEqual(before);
});

/** Method, path below /vnflcm/v2 and the request; then the answer. */
const HTTP: [name: string, path: string, options: Parameters<TestApi['call']>[2], status: number, words: RegExp][] = [
  ['no JSON', '/vnf_instances', { body: '{"vnfdId": "secret-word', headers: json() }, 400, /Malformed request body/],
  ['half a character', '/vnf_instances', { body: '{"vnfdId": "\\ud800"}', headers: json() }, 400, /half a character/],
  ['a NUL', '/vnf_instances', { body: '{"vnfdId": "\\u0000"}', headers: json() }, 400, /NUL/],
  [
    'a prototype',
    '/vnf_instances',
    { body: '{"vnfdId":"a","metadata":{"__proto__":{"x":1}}}', headers: json() },
    400,
    /member name/,
  ],
  [
    'deep nesting',
    '/vnf_instances',
    { body: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, headers: json() },
    400,
    /nested deeper/,
  ],
  ['very deep nesting', '/vnf_instances', { body: '['.repeat(200_000), headers: json() }, 400, /Malformed|nested/],
  [
    'a large number',
    '/vnf_instances',
    { body: '{"vnfdId":"a","metadata":{"x":1e999}}', headers: json() },
    400,
    /number/,
  ],
  ['an array', '/vnf_instances', { json: [] }, 400, /expected object/],
  ['null', '/vnf_instances', { json: null }, 400, /expected object/],
  ['no body', '/vnf_instances', { headers: json() }, 400, /body is missing/],
  [
    'a form',
    '/vnf_instances',
    { body: 'a=b', headers: json('application/x-www-form-urlencoded') },
    415,
    /application\/json/,
  ],
  [
    'an unknown encoding',
    '/vnf_instances',
    { body: '{}', headers: { ...json(), 'Content-Encoding': 'x' } },
    415,
    /Encoding/,
  ],
  ['a body that is too large', '/vnf_instances', { body: ' '.repeat(1_100_000), headers: json() }, 413, /too large/],
  ['no vnfdId', '/vnf_instances', { json: {} }, 400, /vnfdId: is missing/],
  [
    'an unknown vnfdId',
    '/vnf_instances',
    { json: { vnfdId: 'no-such' } },
    422,
    /vnfdId: .*no-such is not found or not operational/,
  ],
  ['no Version', '/vnf_instances', { json: {}, headers: { Version: '' } }, 400, /'Version' HTTP header missing/],
  [
    'a malformed Version',
    '/vnf_instances',
    { json: {}, headers: { Version: '2' } },
    400,
    /Version String 2 is of invalid format/,
  ],
  ['a Version with blanks', '/vnf_instances', { json: {}, headers: { Version: '2.0.0-x' } }, 400, /invalid format/],
  [
    'another Version',
    '/vnf_instances',
    { json: {}, headers: { Version: '1.3.0' } },
    406,
    /Version 1\.3\.0 not supported/,
  ],
  ['Accept: text/html', '/vnf_instances', { json: {}, headers: { Accept: 'text/html' } }, 406, /text\/html/],
  [
    'an instance that is no UUID',
    '/vnf_instances/x/instantiate',
    { json: { flavourId: 'simple' } },
    404,
    /VnfInstance x not found/,
  ],
  [
    'an unknown instance',
    `/vnf_instances/${randomUUID()}/terminate`,
    { json: { terminationType: 'FORCEFUL' } },
    404,
    /not found/,
  ],
  [
    'a wrong terminationType',
    '/vnf_instances/x/terminate',
    { json: { terminationType: 'now' } },
    400,
    /terminationType: expected one of/,
  ],
  [
    'a timeout of 0',
    '/vnf_instances/x/terminate',
    { json: { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 0 } },
    400,
    /gracefulTerminationTimeout/,
  ],
  [
    'a task that vnflow does not offer',
    '/vnf_instances/x/change_ext_conn',
    { json: {} },
    404,
    /vnflow does not offer change_ext_conn/,
  ],
  ['a path that cannot be decoded', '/vnf_instances/%E0%A4%A/terminate', { json: {} }, 400, /malformed/],
];
function json(type = 'application/json') {
  return { 'Content-Type': type };
}

it.each(HTTP)('POST with %s is refused and changes nothing', async (_name, path, options, status, words) => {
  const answer = await test.call('POST', `/vnflcm/v2${path}`, withoutEmptyVersion(options));
  expect(answer).toMatchObject({ status, json: { status, detail: expect.stringMatching(words) } });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('version')).toBe('2.0.0');
  expect(answer.text).not.toContain('secret-word');
  expect(await rows()).toEqual(before);
});

/**
 * Removes an empty `Version`. The test API's client always adds this header, so a test writes an empty one to send
 * none.
 */
function withoutEmptyVersion(options: Parameters<TestApi['call']>[2]) {
  return options?.headers?.['Version'] === '' ? { ...options, withoutVersion: true, headers: {} } : options;
}

it('a VDU_VNFc_mapping that names a VNFC twice is refused', async () => {
  const metadata = { VDU_VNFc_mapping: { workerNode: ['a', 'b', 'a'] } };
  const answer = await test.call('POST', INSTANCES, { json: { vnfdId: instance.vnfdId, metadata } });
  expect(answer).toMatchObject({
    status: 400,
    json: { detail: expect.stringMatching(/VDU_VNFc_mapping: a stands there twice/) },
  });
  expect(await rows()).toEqual(before);
});

it('refuses a wrong Version before it refuses a wrong method', async () => {
  expect((await test.call('PUT', INSTANCES, { withoutVersion: true })).status).toBe(400);
  const answer = await test.call('PUT', INSTANCES);
  expect(answer).toMatchObject({ status: 405, json: { detail: 'Method PUT is not supported.' } });
});

it('accepts what clients send: text/plain, no Content-Type, a charset, an implementation version', async () => {
  for (const headers of [
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/json; charset=UTF-8' },
    { Version: '2.0.0-impl:tacker:1' },
    { Accept: 'text/html, application/*;q=0.5' },
  ]) {
    const body = new TextEncoder().encode(JSON.stringify({ vnfdId: instance.vnfdId }));
    expect((await test.call('POST', INSTANCES, { body, headers })).status).toBe(201);
  }
});

it('an instance of a package that was disabled cannot be instantiated, and no other can be made', async () => {
  const other = await givenInstance(test);
  await test.call('PATCH', `/vnfpkgm/v1/vnf_packages/${other.packageId}`, { json: { operationalState: 'DISABLED' } });
  const instantiate = await test.call('POST', `${INSTANCES}/${other.id}/instantiate`, {
    json: sampleRequest('instantiate-simple'),
  });
  const create = await test.call('POST', INSTANCES, { json: { vnfdId: other.vnfdId } });
  for (const answer of [instantiate, create]) {
    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'VNFD_NOT_USABLE', detail: expect.stringMatching(/DISABLED/) },
    });
  }
});
