import { expect, it } from 'vitest';
import { enterState } from '../test/testing/api/enter-state.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenPackage } from '../test/testing/api/given.ts';
import { sampleRequest } from '../test/testing/api/sample-package.ts';

const test = await startFileApi();
const V2 = '/vnflcm/v2';
const V1 = '/vnflcm/v1';
const INSTALLATION = 'k8s_cluster_installation_param';
const reader = `reader@${test.tenant}`;

/** What a VNFD declares beside its types. */
const DECLARATIONS = `
tosca_definitions_version: tosca_simple_yaml_1_2
data_types:
  company.datatypes.nfv.Params:
    derived_from: tosca.datatypes.nfv.VnfOperationAdditionalParameters
    properties: { tint: { type: string } }
`;

/** An instantiated instance whose maps and parameters have values that only its owners may see. */
async function givenFilledInstance() {
  const { vnfdId, packageId } = await givenPackage(test);
  const file = { packageId, path: 'Definitions/declared.yaml', content: Buffer.from(DECLARATIONS) };
  await test.db.insertInto('vnfPackageFile').values(file).execute();
  const { json } = await test.call('POST', `${V2}/vnf_instances`, {
    json: { vnfdId, metadata: { colour: 'canary-1', VDU_VNFc_mapping: { masterNode: ['m0'] } } },
  });
  const request = sampleRequest('instantiate-simple');
  const { headers } = await test.call('POST', `${V2}/vnf_instances/${json.id}/instantiate`, {
    json: {
      ...request,
      extensions: { colour: 'canary-2' },
      vnfConfigurableProperties: { colour: 'canary-3', isAutohealEnabled: false },
      additionalParams: {
        ...request.additionalParams,
        colour: 'canary-4',
        tint: 'red',
        list: [{ colour: 'canary-5' }],
      },
    },
  });
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  await enterState(test.db, opOccId, {
    state: 'COMPLETED',
    text: 'COMPLETED',
    changedInfo: { metadata: { colour: 'canary-6' }, vnfInstanceName: 'n' },
    instance: {
      instantiationState: 'INSTANTIATED',
      instantiatedVnfInfo: { flavourId: 'simple', vnfState: 'STARTED' },
      extensions: { colour: 'canary-2' },
      vnfConfigurableProperties: { colour: 'canary-3', isAutohealEnabled: false },
    },
  });
  return { id: String(json.id), opOccId };
}

const { id, opOccId } = await givenFilledInstance();

it.each([
  [`${V2}/vnf_instances/${id}`, 3],
  [`${V2}/vnf_instances?all_fields`, 3],
  [`${V2}/vnf_lcm_op_occs/${opOccId}`, 5],
  [`${V2}/vnf_lcm_op_occs?all_fields`, 5],
  [`${V1}/vnf_instances/${id}`, 5],
  [`${V1}/vnf_instances`, 5],
  [`${V1}/vnf_lcm_op_occs/${opOccId}`, 5],
  [`${V1}/vnf_lcm_op_occs?all_fields`, 5],
])('%s has values for members that a reader does not see', async (url, values) => {
  const ofMember = await test.call('GET', url);
  expect([ofMember.status, new Set(ofMember.text.match(/canary-\d/g)).size]).toEqual([200, values]);
  const ofReader = await test.call('GET', url, { token: reader });
  expect([ofReader.status, ofReader.text.includes('canary')]).toEqual([200, false]);
  expect(ofReader.text, 'the names stay').toContain('colour');
  expect(Object.keys(ofReader.json)).toEqual(Object.keys(ofMember.json));
});

it('a reader sees the parameters that vnflow knows', async () => {
  const { json } = await test.call('GET', `${V2}/vnf_lcm_op_occs/${opOccId}`, { token: reader });
  const { json: ofMember } = await test.call('GET', `${V2}/vnf_lcm_op_occs/${opOccId}`);
  const { additionalParams, vimConnectionInfo, flavourId } = json.operationParams;
  expect(additionalParams[INSTALLATION]).toEqual(ofMember.operationParams.additionalParams[INSTALLATION]);
  expect(additionalParams[INSTALLATION].master_node.vdu_id).toBe('masterNode');
  expect(vimConnectionInfo).toEqual(ofMember.operationParams.vimConnectionInfo);
  expect([flavourId, additionalParams.colour]).toEqual(['simple', '***']);
  expect(additionalParams.tint, 'the VNFD declares it').toBe('red');
  expect(json.changedInfo).toEqual({ metadata: { colour: '***' }, vnfInstanceName: 'n' });
  const instance = (await test.call('GET', `${V2}/vnf_instances/${id}`, { token: reader })).json;
  expect(instance.metadata).toEqual({ colour: '***', VDU_VNFc_mapping: { masterNode: ['m0'] } });
  expect(instance.vnfConfigurableProperties).toEqual({ colour: '***', isAutohealEnabled: false });
});

it('a filter of a reader finds nothing by a hidden value', async () => {
  const url = `${V2}/vnf_instances?filter=${encodeURIComponent('(eq,metadata/colour,canary-1)')}`;
  expect((await test.call('GET', url)).json).toHaveLength(1);
  expect((await test.call('GET', url, { token: reader })).json).toEqual([]);
});
