import { expect, it } from 'vitest';
import { CLUSTER_PARAMETERS } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { json as toJson } from '../../store/json.ts';
import { secretName } from '../../store/secrets.ts';
import { enterState } from '../../test/testing/api/enter-state.ts';
import { startFileApi } from '../../test/testing/api/file-api.ts';
import { givenInstance, givenInstantiated, givenPackage } from '../../test/testing/api/given.ts';
import { sampleRequest } from '../../test/testing/api/sample-package.ts';
import { v1Request } from '../../test/testing/api/v1-request.ts';

const test = await startFileApi();

const INSTANCES = '/vnflcm/v1/vnf_instances';
const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';
const ENDPOINT = 'http://vnfm.example:9890';
const MASTER = '0b8d2f5c-0000-4000-8000-000000000001';
const WORKER = '0b8d2f5c-0000-4000-8000-000000000002';
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** `instantiatedVnfInfo` of a cluster with one master and one worker, as `discover` writes it. */
const INFO = {
  flavourId: 'simple',
  vnfState: 'STARTED',
  scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 0 }],
  maxScaleLevels: [{ aspectId: 'workerNode_scale', scaleLevel: 2 }],
  extCpInfo: [
    {
      id: 'cp-port-1',
      cpdId: 'masterNode_CP1',
      cpConfigId: 'masterNode_CP1',
      cpProtocolInfo: [{ layerProtocol: 'IP_OVER_ETHERNET' }],
      extLinkPortId: 'port-1',
      associatedVnfcCpId: `masterNode_CP1-${MASTER}`,
    },
  ],
  extVirtualLinkInfo: [
    {
      id: 'net0_master',
      resourceHandle: { resourceId: 'network-1' },
      extLinkPorts: [
        {
          id: 'port-1',
          resourceHandle: { vimConnectionId: 'vim-a', resourceId: 'port-1', vimLevelResourceType: 'OS::Neutron::Port' },
          cpInstanceId: 'cp-port-1',
        },
      ],
      currentVnfExtCpData: [],
    },
  ],
  vnfcResourceInfo: [
    {
      id: WORKER,
      vduId: 'workerNode',
      computeResource: { vimConnectionId: 'vim-a', resourceId: WORKER, vimLevelResourceType: 'OS::Nova::Server' },
      metadata: { vdu_idx: 0 },
    },
    {
      id: MASTER,
      vduId: 'masterNode',
      computeResource: { vimConnectionId: 'vim-a', resourceId: MASTER, vimLevelResourceType: 'OS::Nova::Server' },
      vnfcCpInfo: [{ id: `masterNode_CP1-${MASTER}`, cpdId: 'masterNode_CP1', vnfExtCpId: 'cp-port-1' }],
      metadata: { vdu_idx: 0 },
    },
  ],
  vnfcInfo: [
    { id: `workerNode-${WORKER}`, vduId: 'workerNode', vnfcResourceInfoId: WORKER, vnfcState: 'STARTED' },
    { id: `masterNode-${MASTER}`, vduId: 'masterNode', vnfcResourceInfoId: MASTER, vnfcState: 'STARTED' },
  ],
  metadata: {},
};

async function givenCluster() {
  const { id } = await givenInstance(test);
  const answer = await test.call('POST', `${INSTANCES}/${id}/instantiate`, { json: v1Request('instantiate-simple') });
  expect(answer.text).toBe('');
  const opOccId = answer.headers.get('location')?.split('/').at(-1) ?? '';
  const connections = { 'vim-a': { vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3', vimId: 'vim-1', interfaceInfo: {} } };
  const parameters = sampleRequest('instantiate-simple').additionalParams.k8s_cluster_installation_param;
  await test.secrets.put(secretName.kindParameters(id, CLUSTER_PARAMETERS.keptAs), parameters, id);
  await enterState(test.db, opOccId, {
    state: 'COMPLETED',
    text: 'COMPLETED',
    instance: { instantiationState: 'INSTANTIATED', instantiatedVnfInfo: INFO, vimConnectionInfo: connections },
  });
  return { id, opOccId };
}

const operationAt = async (location: string | null) => (await test.call('GET', new URL(location ?? '').pathname)).json;

it('creates an instance as guide 001 prints it, with any Version header or none, and version 2 shows this instance, too', async () => {
  const { vnfdId, packageId } = await givenPackage(test);
  for (const headers of [{ Version: '1.3.0' }, { Version: 'nonsense' }, {}]) {
    const created = await test.call('POST', INSTANCES, { json: { vnfdId }, headers });
    expect(created.status).toBe(201);
    const { id } = created.json;
    const self = `${ENDPOINT}${INSTANCES}/${id}`;
    expect(created.headers.get('location')).toBe(self);
    expect(created.json).toEqual({
      id,
      vnfInstanceName: `vnf-${id}`,
      vnfInstanceDescription: null,
      vnfdId,
      vnfProvider: 'Company',
      vnfProductName: 'Sample VNF',
      vnfSoftwareVersion: '1.0',
      vnfdVersion: '1.0',
      vnfPkgId: packageId,
      instantiationState: 'NOT_INSTANTIATED',
      _links: { self: { href: self }, instantiate: { href: `${self}/instantiate` } },
    });
    expect((await test.call('GET', `/vnflcm/v2/vnf_instances/${id}`)).json.id).toBe(id);
  }
  expect((await test.call('POST', INSTANCES, { json: { vnfdId: 'no-uuid' } })).status).toBe(400);
});

it('instantiates from arrays: version 2 shows maps, version 1 the request as JSON text, without its passwords', async () => {
  const { opOccId } = await givenCluster();
  const { json: v2 } = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${opOccId}`);
  expect(v2.operationParams.vimConnectionInfo['vim-a']).toMatchObject({ vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3' });
  expect(Object.keys(v2.operationParams.extVirtualLinks[0].extCps[0].cpConfig)).toEqual(['masterNode_CP1']);
  const { json: v1 } = await test.call('GET', `${OP_OCCS}/${opOccId}`);
  expect(v1._links.grant.href).toBe(`${ENDPOINT}${OP_OCCS}/${opOccId}/grant`);
  const sent = v1Request('instantiate-simple');
  delete sent.vimConnectionInfo[0].accessInfo.password;
  delete sent.additionalParams.k8s_cluster_installation_param.master_node.password;
  delete sent.additionalParams.k8s_cluster_installation_param.worker_node.password;
  expect(JSON.parse(v1.operationParams)).toEqual(sent);
});

it('shows an instance as guide 001 prints it: UUIDs, VIMs instead of connections, one external CP per CPD', async () => {
  const { id } = await givenCluster();
  const { json } = await test.call('GET', `${INSTANCES}/${id}`);
  expect(json.vimConnectionInfo).toEqual([
    { id: 'vim-a', vimId: 'vim-1', vimType: 'openstack', interfaceInfo: {}, accessInfo: {} },
  ]);
  const info = json.instantiatedVnfInfo;
  const [master, worker] = info.vnfcResourceInfo;
  const [cp] = master.vnfcCpInfo;
  const [link] = info.vnfVirtualLinkResourceInfo;
  const layer = [{ layerProtocol: 'IP_OVER_ETHERNET' }];
  const handle = { vimConnectionId: 'vim-1', resourceId: MASTER, vimLevelResourceType: 'OS::Nova::Server' };
  expect(info.scaleStatus).toEqual(INFO.scaleStatus);
  expect(master).toMatchObject({ id: MASTER, vduId: 'masterNode', computeResource: handle, storageResourceIds: [] });
  expect(worker).toMatchObject({ id: WORKER, vnfcCpInfo: [] });
  expect(cp).toMatchObject({ cpdId: 'masterNode_CP1', vnfExtCpId: null, cpProtocolInfo: layer });
  expect(info.extCpInfo).toEqual([
    {
      id: expect.stringMatching(UUID),
      cpdId: 'masterNode_CP1',
      extLinkPortId: null,
      associatedVnfcCpId: MASTER,
      cpProtocolInfo: layer,
    },
  ]);
  expect(info.extVirtualLinkInfo).toEqual([
    {
      id: 'net0_master',
      resourceHandle: { vimConnectionId: null, resourceId: 'network-1', vimLevelResourceType: null },
    },
  ]);
  expect(link).toMatchObject({
    vnfVirtualLinkDescId: 'net0_master',
    networkResource: { vimConnectionId: null, resourceId: 'network-1', vimLevelResourceType: 'OS::Neutron::Net' },
    vnfLinkPorts: [
      {
        id: cp.vnfLinkPortId,
        resourceHandle: { vimConnectionId: 'vim-1', resourceId: 'port-1', vimLevelResourceType: 'OS::Neutron::Port' },
        cpInstanceId: cp.id,
      },
    ],
  });
  expect(info.vnfcInfo).toEqual([
    { id: expect.stringMatching(UUID), vduId: 'masterNode', vnfcState: 'STARTED' },
    { id: expect.stringMatching(UUID), vduId: 'workerNode', vnfcState: 'STARTED' },
  ]);
  expect(info.additionalParams.k8s_cluster_installation_param.worker_node).toMatchObject({ username: 'ubuntu' });
  expect(JSON.stringify(json)).not.toContain('"password"');
  const ids = [info.extCpInfo, info.vnfVirtualLinkResourceInfo, info.vnfcInfo, [cp], link.vnfLinkPorts].flat();
  expect(new Set([MASTER, WORKER, ...ids.map((item) => item.id)]).size).toBe(ids.length + 2);
  expect(Object.keys(json._links)).toEqual(['self', 'terminate', 'scale', 'heal', 'changeExtConn']);
});

it('heals by vnfcResourceInfo.id, given in an array or bare; version 2 shows the id of vnfcInfo', async () => {
  for (const vnfcInstanceId of [[WORKER], WORKER]) {
    const { id } = await givenCluster();
    const { status, text, headers } = await test.call('POST', `${INSTANCES}/${id}/heal`, { json: { vnfcInstanceId } });
    expect({ status, text }).toEqual({ status: 202, text: '' });
    const v1 = await operationAt(headers.get('location'));
    expect(JSON.parse(v1.operationParams)).toEqual({ vnfcInstanceId: [WORKER] });
    const { json: v2 } = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${v1.id}`);
    expect(v2.operationParams).toEqual({ vnfcInstanceId: [`workerNode-${WORKER}`] });
  }
});

it('heals the entire VNF by an empty body, or with null', async () => {
  for (const json of [{}, { vnfcInstanceId: null }]) {
    const { id } = await givenCluster();
    const { headers } = await test.call('POST', `${INSTANCES}/${id}/heal`, { json });
    const v1 = await operationAt(headers.get('location'));
    expect(v1.operationParams).toBe('{}');
    const { json: v2 } = await test.call('GET', `/vnflcm/v2/vnf_lcm_op_occs/${v1.id}`);
    expect(v2.operationParams).toEqual({ additionalParams: { all: true } });
  }
});

it('scales by a number as text, as a number, by 0 and without: none of them repeats the parameters of the cluster', async () => {
  for (const steps of [{ numberOfSteps: '1' }, { numberOfSteps: 1 }, { numberOfSteps: 0 }, {}]) {
    const { id } = await givenCluster();
    const json = { type: 'SCALE_OUT', aspectId: 'workerNode_scale', ...steps };
    const { status, headers } = await test.call('POST', `${INSTANCES}/${id}/scale`, { json });
    expect(status).toBe(202);
    const { operationParams } = await operationAt(headers.get('location'));
    expect(JSON.parse(operationParams)).toMatchObject({ numberOfSteps: 1 });
  }
});

it('controls an operation: rollback answers with a Location, fail with the operation, cancel and retry with nothing', async () => {
  const { id } = await givenCluster();
  const scaled = await test.call('POST', `${INSTANCES}/${id}/scale`, {
    json: { type: 'SCALE_OUT', aspectId: 'workerNode_scale' },
  });
  const { id: opOccId } = await operationAt(scaled.headers.get('location'));
  const control = (word: string, json?: object) =>
    test.call('POST', `${OP_OCCS}/${opOccId}/${word}`, json ? { json } : {});
  const failed = () => enterState(test.db, opOccId, { state: 'FAILED_TEMP', text: 'FAILED_TEMP' });
  expect(await control('cancel', { cancelMode: 'GRACEFUL' })).toMatchObject({ status: 202, text: '' });
  expect((await control('retry')).status).toBe(409);
  await failed();
  expect(await control('retry')).toMatchObject({ status: 202, text: '' });
  await failed();
  const rollback = await control('rollback');
  expect([rollback.status, rollback.headers.get('location')]).toEqual([202, `${ENDPOINT}${OP_OCCS}/${opOccId}`]);
  await failed();
  expect(await control('fail')).toMatchObject({ status: 200, json: { operationState: 'FAILED' } });
});

it('lists with every attribute, refuses attribute selectors, and hides what belongs to another project', async () => {
  const { id, opOccId } = await givenCluster();
  const { json } = await test.call('GET', `${INSTANCES}?filter=(eq,id,${id})`);
  expect(json).toMatchObject([{ id, instantiatedVnfInfo: { flavourId: 'simple' } }]);
  expect((await test.call('GET', `${INSTANCES}?fields=id`)).status).toBe(400);
  const operations = await test.call('GET', `${OP_OCCS}?filter=(eq,vnfInstanceId,${id})`);
  expect(operations.json).toMatchObject([{ id: opOccId }]);
  const elsewhere = { token: 'member@another' };
  expect((await test.call('GET', `${INSTANCES}/${id}`, elsewhere)).status).toBe(404);
  expect((await test.call('GET', INSTANCES, elsewhere)).json).toEqual([]);
});

it('refuses lists by attributes that a resource does not have', async () => {
  const { opOccId } = await givenCluster();
  for (const [path, wrong] of [
    [INSTANCES, 'filter=(eq,nothing/id,1)'],
    [OP_OCCS, 'filter=(eq,id,1);(eq,nothing,1)'],
    [OP_OCCS, 'fields=operationState,nothing'],
    [OP_OCCS, 'exclude_fields=nothing'],
  ]) {
    expect(await test.call('GET', `${path}?${wrong}`)).toMatchObject({
      status: 400,
      json: { code: 'BAD_REQUEST', detail: expect.stringMatching(/nothing(\/id)? is no attribute of this resource/) },
    });
  }
  // An attribute that no operation of vnflow sets.
  const { json } = await test.call('GET', `${OP_OCCS}?fields=changedExtConnectivity,error/detail`);
  expect(json.map(({ id }: { id: string }) => id)).toContain(opOccId);
});

it('shows the resource changes that SOL003 2.6.1 has', async () => {
  const { opOccId } = await givenCluster();
  const computeResource = { resourceId: 'server-1', vimLevelResourceType: 'OS::Nova::Server' };
  const affectedVnfcs = [{ id: WORKER, vduId: 'workerNode', changeType: 'ADDED', computeResource }];
  const affectedExtLinkPorts = [
    { id: 'port-1', changeType: 'ADDED', resourceHandle: { resourceId: 'port-1' }, extCpInstanceId: 'cp-port-1' },
  ];
  const changed = async (resourceChanges: object) => {
    await test.db
      .updateTable('vnfLcmOpOcc')
      .set({ resourceChanges: toJson(resourceChanges) })
      .where('id', '=', opOccId)
      .execute();
    const [v1, v2] = await Promise.all(
      ['v1', 'v2'].map((version) => test.call('GET', `/vnflcm/${version}/vnf_lcm_op_occs/${opOccId}`)),
    );
    return [v1?.json.resourceChanges, v2?.json.resourceChanges];
  };
  const both = { affectedVnfcs, affectedExtLinkPorts };
  expect(await changed(both)).toEqual([{ affectedVnfcs }, both]);
  expect(await changed({ affectedExtLinkPorts })).toEqual([undefined, { affectedExtLinkPorts }]);
});

it('operates an instance of version 2: terminates it, and deletes it', async () => {
  const { id } = await givenInstantiated(test);
  const json = { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 0 };
  expect((await test.call('POST', `${INSTANCES}/${id}/terminate`, { json })).status).toBe(202);
  const { id: fresh } = await givenInstance(test);
  expect((await test.call('DELETE', `${INSTANCES}/${fresh}`)).status).toBe(204);
});

it('a connection without VIM means the default VIM, and one by vimId is completed from the registered VIM', async () => {
  const vim = {
    type: 'openstack',
    name: 'default',
    is_default: true,
    auth_url: 'http://127.0.0.1:5000/v3',
    auth_cred: { username: 'nfv_user', password: 'devstack', user_domain_name: 'Default' },
    vim_project: { name: 'nfv', project_domain_name: 'Default' },
  };
  const registered = await test.call('POST', '/v1.0/vims', { json: { vim } });
  const vimId = registered.json.vim.id;
  const empty = { interfaceInfo: {}, accessInfo: {} };
  for (const connections of [
    [{ id: 'vim-a', vimType: 'openstack', vimId, ...empty }],
    [{ id: 'vim-a', vimType: 'openstack' }],
  ]) {
    const { id } = await givenInstance(test);
    const json = { ...v1Request('instantiate-simple'), vimConnectionInfo: connections };
    const { status, headers } = await test.call('POST', `${INSTANCES}/${id}/instantiate`, { json });
    expect(status).toBe(202);
    const { operationParams } = await operationAt(headers.get('location'));
    const [connection] = JSON.parse(operationParams).vimConnectionInfo;
    expect(connection).toMatchObject({ id: 'vim-a', vimId, accessInfo: { username: 'nfv_user' } });
  }
});

it('a body of the other version is refused, and the detail names the right path', async () => {
  const { id } = await givenCluster();
  const { id: fresh } = await givenInstance(test);
  const refusal = async (path: string, json: object) => {
    const answer = await test.call('POST', path, { json });
    expect(answer.status).toBe(400);
    return answer.json.detail;
  };
  const v1 = v1Request('instantiate-simple');
  const v2 = sampleRequest('instantiate-simple');
  const { extVirtualLinks } = v2;
  expect(await refusal(`/vnflcm/v2/vnf_instances/${fresh}/instantiate`, v1)).toContain('/vnflcm/v1');
  expect(await refusal(`${INSTANCES}/${fresh}/instantiate`, v2)).toContain('/vnflcm/v2');
  expect(await refusal(`${INSTANCES}/${fresh}/instantiate`, { ...v1, extVirtualLinks })).toContain('/vnflcm/v2');
  expect(await refusal(`${INSTANCES}/${id}/heal`, { vnfcInstanceId: [`workerNode-${WORKER}`] })).toContain(
    '/vnflcm/v2',
  );
  expect(await refusal(`/vnflcm/v2/vnf_instances/${id}/heal`, { vnfcInstanceId: [WORKER] })).toContain('/vnflcm/v1');
  expect(await refusal(`${INSTANCES}/${id}/heal`, { vnfcInstanceId: [id] })).toContain('vnfcResourceInfo');
});

it('refuses user data of a package while its code may not run', async () => {
  const { id } = await givenInstance(test);
  const json = v1Request('instantiate-simple');
  json.additionalParams['lcm-operation-user-data-class'] = 'MyUserData';
  const answer = await test.call('POST', `${INSTANCES}/${id}/instantiate`, { json });
  expect([answer.status, answer.json.detail]).toEqual([
    422,
    expect.stringMatching(/built in are StandardUserData, DefaultUserData, .*VNFLOW_ALLOW_PACKAGE_CODE=1/),
  ]);
});

it('names its version, and the list of versions has both', async () => {
  const own = await test.call('GET', '/vnflcm/v1/api_versions', { headers: { Version: '2.0.0' } });
  expect(own.json).toEqual({ uriPrefix: '/vnflcm/v1', apiVersions: [{ version: '1.3.0', isDeprecated: false }] });
  expect(own.headers.get('version')).toBe('1.3.0');
  const { json } = await test.call('GET', '/vnflcm/api_versions');
  expect(json.apiVersions.map(({ version }: { version: string }) => version)).toEqual(['1.3.0', '2.0.0']);
});
