import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
});
afterAll(() => system.stop());

it("makes a Kubernetes cluster of the guide's request, and leaves nothing when it is terminated", async () => {
  const before = system.simulator.fingerprint();
  const id = await createInstance(system.http, vnfdId);
  const operation = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  const ended = await settled(system.http, operation);
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const { data: instance } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  expect(instance.instantiationState).toBe('INSTANTIATED');
  expect(
    instance.instantiatedVnfInfo.vnfcResourceInfo.map(
      ({ vduId, metadata }: { vduId: string; metadata: { vdu_idx: number } }) => [vduId, metadata.vdu_idx],
    ),
  ).toEqual([['workerNode', 1], expect.anything(), expect.anything()]);
  const terminated = await settled(
    system.http,
    operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' })),
  );
  expect(terminated.operationState).toBe('COMPLETED');
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
  expect(system.simulator.fingerprint()).toEqual(before);
}, 90_000);
