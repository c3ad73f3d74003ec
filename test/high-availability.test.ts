import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
});
afterAll(() => system.stop());

it("makes the guide's complex cluster: three control-plane nodes behind a virtual address, two workers", async () => {
  const id = await createInstance(system.http, vnfdId);
  const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  const ended = await settled(
    system.http,
    operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body)),
    { timeoutMs: 90_000 },
  );
  expect(ended.error).toBeUndefined();
  expect(ended.operationState).toBe('COMPLETED');
  const [cluster] = system.simulator.nodes.clusters();
  expect(
    Object.keys(cluster?.nodes ?? {})
      .map((name) => name.replace(/\d.*$/, ''))
      .sort(),
  ).toEqual(['master', 'master', 'master', 'worker', 'worker']);
  expect(cluster?.etcd.members.filter(({ started, learner }) => started && !learner).length).toBe(3);
  expect(cluster?.endpoint).toMatch(/:16443$/);
  const terminated = await settled(
    system.http,
    operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' })),
  );
  expect(terminated.operationState).toBe('COMPLETED');
}, 120_000);
