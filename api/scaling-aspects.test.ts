import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readVnfd } from '../domain/vnfd.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { givenInstantiated } from '../test/testing/api/given.ts';
import { samplePackageFiles } from '../test/testing/api/sample-package.ts';

const ASPECT = `            masterNode_scale:
              name: masterNode_scale
              description: the number of control-plane nodes
              max_scale_level: 2
              step_deltas: [ delta_1 ]
`;
const DELTAS = `    - masterNode_scaling_aspect_deltas:
        type: tosca.policies.nfv.VduScalingAspectDeltas
        properties:
          aspect: masterNode_scale
          deltas:
            delta_1: { number_of_instances: 1 }
        targets: [ masterNode ]

`;

/** The sample package with a second aspect, which scales the control plane. */
function filesWithMasterAspect(): Map<string, Buffer> {
  const files = samplePackageFiles();
  const name = 'Definitions/flavour_simple.yaml';
  const text = String(files.get(name))
    .replace('          aspects:\n', (found) => found + ASPECT)
    .replace('    - instantiation_levels:\n', (found) => DELTAS + found);
  return files.set(name, Buffer.from(text));
}

const test = await startFileApi({
  readCsar: async (file) => {
    const files = filesWithMasterAspect();
    const vnfd = readVnfd(new Map([...files].map(([path, content]) => [path, content.toString('utf8')])));
    const vnfdId = (await readFile(file, 'latin1')).replace('CSAR ', '');
    const checksum = { algorithm: 'sha512', hash: 'ab' };
    return { vnfd: { ...vnfd, vnfdId }, checksum, softwareImages: [], additionalArtifacts: [], entries: [], files };
  },
});

const request = { type: 'SCALE_OUT', aspectId: 'masterNode_scale', numberOfSteps: 1 };
const refusal = /aspectId: masterNode_scale scales masterNode; only workers \(workerNode\) can be scaled/;

async function givenCluster(): Promise<string> {
  const { id } = await givenInstantiated(test);
  const instantiatedVnfInfo = {
    flavourId: 'simple',
    scaleStatus: ['workerNode_scale', 'masterNode_scale'].map((aspectId) => ({ aspectId, scaleLevel: 0 })),
    vnfcResourceInfo: [{ vduId: 'masterNode' }, { vduId: 'workerNode' }],
  };
  await test.db
    .updateTable('vnfInstance')
    .set({ instantiatedVnfInfo: JSON.stringify(instantiatedVnfInfo) })
    .where('id', '=', id)
    .execute();
  return id;
}

it('refuses to scale the control plane, although the request does not repeat the parameters of the cluster', async () => {
  const { status, json } = await test.call('POST', `/vnflcm/v2/vnf_instances/${await givenCluster()}/scale`, {
    json: request,
  });
  expect([status, json.detail]).toEqual([400, expect.stringMatching(refusal)]);
});

it('plans no control-plane node as a worker', async () => {
  const { status, json } = await test.call('POST', `/vnflow/v1/vnf_instances/${await givenCluster()}/plan`, {
    json: { operation: 'SCALE', request },
  });
  expect(json.steps?.map(({ id }: { id: string }) => id) ?? []).not.toContain('joinWorker-masterNode-1');
  expect([status, json.detail]).toEqual([400, expect.stringMatching(refusal)]);
});
