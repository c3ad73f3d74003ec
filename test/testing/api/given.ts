import { randomUUID } from 'node:crypto';
import { CLUSTER_PARAMETERS } from '../../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { secretName } from '../../../store/secrets.ts';
import { enterState } from './enter-state.ts';
import { sampleRequest } from './sample-package.ts';
import type { TestApi } from './test-api.ts';

/** Onboards the sample package under an id of its own. */
export async function givenPackage({ call }: TestApi): Promise<{ packageId: string; vnfdId: string }> {
  const vnfdId = randomUUID();
  const { json } = await call('POST', '/vnfpkgm/v1/vnf_packages', { json: {} });
  await call('PUT', `/vnfpkgm/v1/vnf_packages/${json.id}/package_content`, {
    body: `CSAR ${vnfdId}`,
    headers: { 'Content-Type': 'application/zip' },
  });
  return { packageId: json.id, vnfdId };
}

export async function givenInstance(test: TestApi): Promise<{ id: string; packageId: string; vnfdId: string }> {
  const given = await givenPackage(test);
  const { json } = await test.call('POST', '/vnflcm/v2/vnf_instances', { json: { vnfdId: given.vnfdId } });
  return { ...given, id: json.id };
}

/** An instance whose instantiate operation was accepted. */
export async function givenOperation(test: TestApi): Promise<{ id: string; opOccId: string }> {
  const { id } = await givenInstance(test);
  const { headers } = await test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, {
    json: sampleRequest('instantiate-simple'),
  });
  const opOccId = headers.get('location')?.split('/').at(-1) ?? '';
  return { id, opOccId };
}

export async function givenInstantiated(test: TestApi): Promise<{ id: string; opOccId: string }> {
  const given = await givenOperation(test);
  await enterState(test.db, given.opOccId, {
    state: 'COMPLETED',
    text: 'COMPLETED',
    instance: { instantiationState: 'INSTANTIATED', instantiatedVnfInfo: { flavourId: 'simple', vnfState: 'STARTED' } },
  });
  const { key, keptAs } = CLUSTER_PARAMETERS;
  const parameters = sampleRequest('instantiate-simple').additionalParams[key];
  await test.secrets.put(secretName.kindParameters(given.id, keptAs), parameters, given.id);
  return given;
}
