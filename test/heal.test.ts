import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await createInstance(system.http, await onboardSample(system.http));
  const operation = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
}, 90_000);
afterAll(() => system.stop());

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcResourceInfoId: string;
}

const heal = (body: object) => system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, body);
const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo;
const vnfcs = async (vduId: string): Promise<Vnfc[]> =>
  (await show()).vnfcInfo.filter((vnfc: Vnfc) => vnfc.vduId === vduId);
const planned = async (request: object): Promise<string[]> =>
  (await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, { operation: 'HEAL', request })).data.steps.map(
    (step: { id: string }) => step.id,
  );
const executed = async (operation: string): Promise<string[]> =>
  (await system.http.get(`${operation.replace('/vnflcm/v2', '/vnflow/v1')}/timeline`)).data.steps.map(
    (step: { id: string }) => step.id,
  );
const cluster = () => system.simulator.nodes.clusters()[0];
const machine = (vnfc: Vnfc) => system.simulator.nodes.node(vnfc.vnfcResourceInfoId);

it('heals a worker that is powered off: a new server takes its place, the other nodes are not logged in to', async () => {
  const [victim, other] = await vnfcs('workerNode');
  if (!victim || !other) throw new Error('two workers');
  const hostname = machine(victim)?.hostname;
  await system.simulator.nodes.hypervisor.power(victim.vnfcResourceInfoId, 'stop');
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const request = { vnfcInstanceId: [victim.id], cause: 'the machine is off' };
  const plan = await planned(request);
  const operation = operationOf(await heal(request));
  const ended = await settled(system.http, operation);
  expect(ended.error).toBeUndefined();
  expect(ended).toMatchObject({
    operation: 'HEAL',
    operationState: 'COMPLETED',
    resourceChanges: {
      affectedVnfcs: [
        { vduId: 'workerNode', changeType: 'ADDED' },
        { id: victim.vnfcResourceInfoId, vduId: 'workerNode', changeType: 'REMOVED' },
      ],
    },
  });
  expect(plan).toEqual(expect.arrayContaining(await executed(operation)));
  const after = await vnfcs('workerNode');
  expect(after.map((vnfc) => vnfc.id)).toContain(other.id);
  expect(after.map((vnfc) => vnfc.id)).not.toContain(victim.id);
  expect(machine(victim)).toBeUndefined();
  expect(Object.keys(cluster()?.nodes ?? {})).toContain(hostname);
  const touched = system.simulator.ledger.entries(seq).filter(({ kind }) => kind === 'login');
  expect(touched.map(({ where }) => where)).not.toContain(machine(other)?.hostname);
});
