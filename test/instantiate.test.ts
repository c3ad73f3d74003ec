import { afterAll, beforeAll, expect, it } from 'vitest';
import { completeOperation, instantiateCluster } from './testing/operations.ts';
import { onboardSample, type System, startSystem } from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
});
afterAll(() => system.stop());

it("makes a Kubernetes cluster of the guide's request, and leaves nothing when it is terminated", async () => {
  const before = system.simulator.fingerprint();
  const id = await instantiateCluster(system, { vnfdId });
  const { data: instance } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  expect(instance.instantiationState).toBe('INSTANTIATED');
  expect(
    instance.instantiatedVnfInfo.vnfcResourceInfo.map(
      ({ vduId, metadata }: { vduId: string; metadata: { vdu_idx: number } }) => [vduId, metadata.vdu_idx],
    ),
  ).toEqual([['workerNode', 1], expect.anything(), expect.anything()]);
  await completeOperation(system.http, { id, task: 'terminate', body: { terminationType: 'FORCEFUL' } });
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
  expect(system.simulator.fingerprint()).toEqual(before);
}, 90_000);
