import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIsolation } from '../packages/code/isolation.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

const PLAIN = fileURLToPath(new URL('../samples/plain', import.meta.url));
const machine = await findIsolation().catch(() => undefined);

/** User data of version 1, as packages for Tacker have it. */
const VERSION_1 = `
from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData
import tacker.vnfm.lcm_user_data.utils as user_data_utils


class Mine(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        wanted = user_data_utils.create_initial_param_server_port_dict(base_hot_dict)
        filled = user_data_utils.create_final_param_dict(
            wanted,
            user_data_utils.create_vdu_flavor_capability_name_dict(vnfd_dict),
            user_data_utils.create_vdu_image_dict(grant_info),
            user_data_utils.create_network_dict(inst_req_info, wanted))
        capacity = user_data_utils.create_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_req_info)
        filled['nfv']['desired_capacity'] = capacity
        return {**filled, **user_data_utils.get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info)}

    @staticmethod
    def scale(base_hot_dict, vnfd_dict, request, instance, information, param, resource_number):
        param['nfv']['desired_capacity'] = {request.aspect_id: resource_number}
        return param
`;

/** User data of version 2. Each run gives another greeting, so a second run of it would be seen. */
const VERSION_2 = `
import uuid

from tacker.sol_refactored.common import common_script_utils as common
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Mine(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = common.get_vnfd(inst['vnfdId'], tmp_csar_dir)
        hot = vnfd.get_base_hot(req['flavourId'])
        nfv = common.init_nfv_dict(hot['template'])
        for name, vdu in nfv['VDU'].items():
            vdu['flavor'] = common.get_param_flavor(name, req['flavourId'], vnfd, grant)
            vdu['image'] = common.get_param_image(name, req['flavourId'], vnfd, grant)
        for name, point in nfv['CP'].items():
            point['network'] = common.get_param_network(name, grant, req)
        nfv['asked'] = {'servers': common.get_param_capacity('web', inst, grant_req)}
        return {
            'template': hot['template'], 'files': hot['files'],
            'parameters': {'nfv': nfv, 'greeting': uuid.uuid4().hex},
        }

    @staticmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        return {'parameters': {'greeting': 'scaled', 'nfv': {'asked': {
            'servers': common.get_param_capacity('web', inst, grant_req)}}}}

    @staticmethod
    def heal(req, inst, grant_req, grant, tmp_csar_dir):
        return {'parameters': {'greeting': 'healed ' + grant_req['removeResources'][0]['resource']['resourceId']}}
`;

/** A script for hooks. The end of an instantiation fails when the request says so. */
const HOOKS = `
import os
import pickle
import sys

given = pickle.load(sys.stdin.buffer)
data = given['user_script_err_handling_data']
data.setdefault('ran', []).append(given['operation'])
sys.stdout.buffer.write(pickle.dumps({'user_script_err_handling_data': data}))
sys.stdout.flush()
servers = len(given['vnf_instance'].get('instantiatedVnfInfo', {}).get('vnfcResourceInfo', []))
wish = given['request'].get('additionalParams', {}).get('wish')
if wish == given['operation']:
    password = given['request']['additionalParams']['password']
    sys.stderr.write('{} ran, {} servers, {}'.format(','.join(data['ran']), servers, password))
    sys.stderr.flush()
    os._exit(3)
`;

const INTERFACES = `
      interfaces:
        Vnflcm:
          instantiate_start: { implementation: sample-script }
          instantiate_end: { implementation: sample-script }
          terminate_start: { implementation: sample-script }
      artifacts:
        sample-script:
          type: tosca.artifacts.Implementation.Python
          file: ../Scripts/hooks.py
`;

const GROUP_HOT = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
  greeting: { type: string, default: none }
resources:
  web_group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 4
      desired_capacity: 1
      resource:
        type: default_nested_web.yaml
        properties:
          flavor: { get_param: [ nfv, VDU, web, flavor ] }
          image: { get_param: [ nfv, VDU, web, image ] }
          net1: { get_param: [ nfv, CP, web_CP1, network ] }
outputs:
  greeting: { value: { get_param: greeting } }
`;

/** One server in the top HOT, with the name of its VDU. */
const SINGLE_HOT = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  web:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: [ nfv, VDU, web, computeFlavourId ] }
      image: { get_param: [ nfv, VDU, web, vcImageId ] }
      networks: [ { port: { get_resource: web_CP1 } } ]
  web_CP1:
    type: OS::Neutron::Port
    properties:
      network: { get_param: [ nfv, CP, web_CP1, network ] }
`;

const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-test-package-code-'));
let vnfdNumber = 0;

/** The plain sample with a scaling group, and with code. */
function packageWith(code: { readonly userData?: string; readonly hooks?: string; readonly hot?: string }): string {
  const source = path.join(folder, `package-${vnfdNumber}`);
  cpSync(PLAIN, source, { recursive: true });
  const change = (file: string, edit: (text: string) => string) =>
    writeFileSync(path.join(source, file), edit(readFileSync(path.join(source, file), 'utf8')));
  for (const file of readdirSync(path.join(source, 'Definitions')))
    change(`Definitions/${file}`, (text) => text.replaceAll(DESCRIPTOR, DESCRIPTOR.slice(0, -3) + (100 + vnfdNumber)));
  change('BaseHOT/default/default_hot_top.yaml', () => code.hot ?? GROUP_HOT);
  if (code.hot !== undefined) {
    change('Definitions/flavour_default.yaml', (text) =>
      text.replace(
        'instantiation_level_1: { number_of_instances: 2 }',
        'instantiation_level_1: { number_of_instances: 1 }',
      ),
    );
  }
  writeFileSync(path.join(source, 'UserData/mine.py'), code.userData ?? VERSION_1);
  if (code.hooks !== undefined) {
    mkdirSync(path.join(source, 'Scripts'));
    writeFileSync(path.join(source, 'Scripts/hooks.py'), code.hooks);
    change('Definitions/flavour_default.yaml', (text) =>
      text.replace('        flavour_description: Web servers\n', (found) => `${found}${INTERFACES.slice(1)}`),
    );
  }
  vnfdNumber += 1;
  return source;
}

const DESCRIPTOR = /descriptor_id[^0-9a-f]*([0-9a-f-]{36})/s.exec(
  readdirSync(path.join(PLAIN, 'Definitions'))
    .map((file) => readFileSync(path.join(PLAIN, 'Definitions', file), 'utf8'))
    .join('\n'),
)?.[1] as string;

let system: System;
beforeAll(async () => {
  system = await startSystem({ allowPackageCode: true });
}, 90_000);
afterAll(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});

const MINE = { 'lcm-operation-user-data': './UserData/mine.py', 'lcm-operation-user-data-class': 'Mine' };

const requestWith = (additionalParams: object) => ({
  ...guideRequest('instantiate-plain.json', system.simulator.authUrl),
  additionalParams,
});
const onboard = async (code: Parameters<typeof packageWith>[0]) =>
  createInstance(system.http, await onboardSample(system.http, packageWith(code)));
const send = (id: string, operation: string, body: object) =>
  system.http.post(`/vnflcm/v2/vnf_instances/${id}/${operation}`, body);
const run = async (id: string, operation: string, body: object) =>
  settled(system.http, operationOf(await send(id, operation, body)));
const stackOf = (id: string) =>
  Object.values(system.simulator.cloud.state.stacks).find((stack) => stack.name === `vnf-${id}`);
const parametersOf = (id: string) => stackOf(id)?.source.parameters;
const serversOf = async (id: string) =>
  (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo.vnfcInfo.length;
/** Working copies of this process: other tests run beside this one. */
const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`vnflow-package-code-${process.pid}-`));

describe.skipIf(machine?.ownUser !== true)('user data in Python', () => {
  it('of version 1 makes the parameters of the stack, and those of a scale', async () => {
    const id = await onboard({ userData: VERSION_1 });
    const body = requestWith({ ...MINE, greeting: 'hello' });
    const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
      operation: 'INSTANTIATE',
      request: body,
    });
    expect(plan.data.steps.map((step: { id: string }) => step.id)).toEqual(['runUserData', 'applyStack', 'discover']);
    expect(await run(id, 'instantiate', body)).toMatchObject({ operationState: 'COMPLETED' });
    expect(parametersOf(id)).toMatchObject({
      greeting: 'hello',
      nfv: { VDU: { web: { flavor: 'm1.medium' } }, CP: { web_CP1: {} }, desired_capacity: { web_scale: 2 } },
    });
    expect(await serversOf(id)).toBe(2);
    expect(await run(id, 'scale', { type: 'SCALE_OUT', aspectId: 'web_scale', additionalParams: MINE })).toMatchObject({
      operationState: 'COMPLETED',
    });
    expect(parametersOf(id)).toMatchObject({ greeting: 'hello', nfv: { desired_capacity: { web_scale: 3 } } });
    expect(await serversOf(id)).toBe(3);
    expect(await run(id, 'scale', { type: 'SCALE_IN', aspectId: 'web_scale' })).toMatchObject({
      operationState: 'COMPLETED',
    });
    expect(await run(id, 'terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
    expect(copies()).toEqual([]);
  });

  it('of version 2 makes the whole stack, and what a scale and a heal change', async () => {
    const id = await onboard({ userData: VERSION_2 });
    expect(await run(id, 'instantiate', requestWith(MINE))).toMatchObject({ operationState: 'COMPLETED' });
    expect(parametersOf(id)).toMatchObject({ nfv: { asked: { servers: 2 } } });
    expect(await serversOf(id)).toBe(2);
    await run(id, 'scale', { type: 'SCALE_OUT', aspectId: 'web_scale', additionalParams: MINE });
    expect(parametersOf(id)).toMatchObject({ greeting: 'scaled', nfv: { asked: { servers: 3 }, VDU: { web: {} } } });
    const { instantiatedVnfInfo } = (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
    const [vnfc] = instantiatedVnfInfo.vnfcInfo;
    await run(id, 'heal', { vnfcInstanceId: [vnfc.id], additionalParams: MINE });
    expect(parametersOf(id)).toMatchObject({ greeting: `healed ${vnfc.vnfcResourceInfoId}` });
    expect(await serversOf(id)).toBe(3);
    await run(id, 'heal', { additionalParams: { ...MINE, all: true } });
    expect(parametersOf(id)?.['greeting']).toMatch(/^healed /);
    expect(await serversOf(id)).toBe(3);
    await run(id, 'terminate', { terminationType: 'FORCEFUL' });
  });

  it('runs once: a retry of the stack sends what the first attempt sent', async () => {
    const id = await onboard({ userData: VERSION_2 });
    system.simulator.faults.add({
      service: 'heat',
      resourceNameContains: 'web',
      times: 1,
      effect: { resourceFails: 'No valid host was found.' },
    });
    const accepted = operationOf(await send(id, 'instantiate', requestWith(MINE)));
    expect(await settled(system.http, accepted)).toMatchObject({ operationState: 'FAILED_TEMP' });
    const first = parametersOf(id)?.['greeting'];
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    await system.http.post(`${accepted}/retry`, {});
    expect(await settled(system.http, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    expect(parametersOf(id)?.['greeting']).toBe(first);
    await run(id, 'terminate', { terminationType: 'FORCEFUL' });
  });

  it('that fails leaves the operation with the end of what it said, and nothing in the cloud', async () => {
    const id = await onboard({ userData: VERSION_2.replace("hot['template'])", "hot['no such member'])") });
    const accepted = operationOf(await send(id, 'instantiate', requestWith(MINE)));
    expect(await settled(system.http, accepted)).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: {
        code: 'PACKAGE_CODE_FAILED',
        stepId: 'runUserData',
        seen: expect.stringContaining("KeyError: 'no such member'"),
      },
    });
    expect(stackOf(id)).toBeUndefined();
    await system.http.post(`${accepted}/rollback`, {});
    expect(await settled(system.http, accepted)).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(copies()).toEqual([]);
  });
});

describe.skipIf(machine?.ownUser !== true)('scripts of LCM hooks', () => {
  it('run before and after the operation, and tell each other what they did; their failure waits for a retry', async () => {
    const id = await onboard({ hooks: HOOKS });
    const body = requestWith({ ...MINE, wish: 'instantiate_end', password: 'canary-5Tz' });
    const accepted = operationOf(await send(id, 'instantiate', body));
    const failed = await settled(system.http, accepted);
    expect(failed).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: {
        code: 'PACKAGE_CODE_FAILED',
        stepId: 'runHook-instantiate_end',
        seen: 'instantiate_start,instantiate_end ran, 2 servers, ***',
      },
    });
    await system.http.post(`${accepted}/retry`, {});
    expect(await settled(system.http, accepted)).toMatchObject({
      error: { seen: 'instantiate_start,instantiate_end,instantiate_end ran, 2 servers, ***' },
    });
    await system.http.post(
      `/vnflow/v1/vnf_lcm_op_occs/${accepted.split('/').at(-1)}/steps/runHook-instantiate_end/skip`,
      {
        reason: 'done by hand',
      },
    );
    await system.http.post(`${accepted}/retry`, {});
    expect(await settled(system.http, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    const plan = await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, {
      operation: 'TERMINATE',
      request: { terminationType: 'FORCEFUL' },
    });
    expect(plan.data.steps.map((step: { id: string }) => step.id)).toEqual([
      'runHook-terminate_start',
      'deleteStack',
      'forgetCluster',
    ]);
    expect(await run(id, 'terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('of a driver that runs inside of Tacker are refused before anything is made', async () => {
    const id = await onboard({ hooks: 'class Driver:\n    def instantiate_end(self, context): pass\n' });
    const answer = await send(id, 'instantiate', requestWith(MINE));
    expect(answer.data).toMatchObject({ code: 'VNFD_NOT_USABLE', detail: expect.stringContaining('version 1') });
  });
});

it('without user data the one server of a VDU is a resource of the top HOT: it can be healed, and not scaled', async () => {
  const id = await onboard({ hot: SINGLE_HOT });
  expect(await run(id, 'instantiate', requestWith({}))).toMatchObject({ operationState: 'COMPLETED' });
  const vnfcs = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo.vnfcInfo;
  const [before] = await vnfcs();
  expect(await run(id, 'heal', { vnfcInstanceId: [before.id] })).toMatchObject({ operationState: 'COMPLETED' });
  const after = await vnfcs();
  expect(after).toHaveLength(1);
  expect(after[0].vnfcResourceInfoId).not.toBe(before.vnfcResourceInfoId);
  const scale = await send(id, 'scale', { type: 'SCALE_OUT', aspectId: 'web_scale' });
  expect(scale.data).toMatchObject({ status: 400, detail: expect.stringContaining('it cannot be scaled') });
  expect(await run(id, 'terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
});
