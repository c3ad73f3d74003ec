import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KilledWorkers, startKilledWorkers } from './testing/killed-workers.ts';
import { createInstance, guideRequest, onboardSample } from './testing/system.ts';

let system: KilledWorkers;
let registry: string;

beforeAll(async () => {
  system = await startKilledWorkers();
  registry = await createInstance(
    system.http,
    await onboardSample(system.http, path.join('samples', 'private-registry')),
  );
}, 120_000);
afterAll(() => system?.stop());

const registryServer = async () => {
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${registry}`);
  return data.instantiatedVnfInfo.vnfcResourceInfo[0].computeResource.resourceId;
};

it('instantiates a private registry, whatever border of a step a worker is killed at', async () => {
  const { http, simulator } = system;
  const body = guideRequest('instantiate-private-registry.json', simulator.authUrl);
  await system.survives(() => http.post(`/vnflcm/v2/vnf_instances/${registry}/instantiate`, body));
}, 400_000);

it('heals a private registry, whatever border of a step a worker is killed at', async () => {
  const { http, simulator } = system;
  const before = await registryServer();
  const heal = { additionalParams: { accept_content_loss: true } };
  await system.survives(() => http.post(`/vnflcm/v2/vnf_instances/${registry}/heal`, heal));
  expect(await registryServer()).not.toBe(before);
  expect(simulator.nodes.node(before)).toBeUndefined();
}, 400_000);
