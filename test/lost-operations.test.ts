import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { keepLcmRequest } from '../store/lcm-requests.ts';
import { appendStepLog } from '../store/step-logs.ts';
import { workflowId } from '../workflows/contract.ts';
import { misdeeds } from './testing/ledger-judge.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let client: Client;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem({ reconcileEveryMs: 300 });
  client = new Client({ connection: await Connection.connect({ address: system.temporal.address }) });
  vnfdId = await onboardSample(system.http);
});
afterEach(() => {
  system.simulator.nodes.faults.clear();
  system.simulator.faults.remove();
});
afterAll(async () => {
  await client.connection.close();
  await system.stop();
});

const now = () => system.simulator.ledger.entries().at(-1)?.seq ?? 0;
const opOccId = (operation: string) => operation.split('/').at(-1) ?? '';

async function instantiate() {
  const id = await createInstance(system.http, vnfdId);
  const operation = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  return { id, operation };
}

async function instantiateUntilItFails() {
  system.simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'kubeadm init',
    times: 1,
    exitCode: 1,
    stderr: 'x',
  });
  const begun = await instantiate();
  expect(await settled(system.http, begun.operation)).toMatchObject({ error: { code: 'NODE_COMMAND_FAILED' } });
  return begun;
}

/** One click on Terminate in the Temporal UI. */
const terminateWorkflow = (id: string) => client.workflow.getHandle(workflowId(id)).terminate('one click');

const stepsOf = async (operation: string): Promise<{ id: string; state: string }[]> =>
  (await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId(operation)}/timeline`)).data.steps;

const untilStep = (operation: string, stepId: string, state: string) =>
  expect
    .poll(async () => (await stepsOf(operation)).find(({ id }) => id === stepId)?.state, {
      timeout: 30_000,
      interval: 20,
    })
    .toBe(state);

it('an operation whose workflow was terminated is shown as lost; retry goes on where it stopped and repeats nothing', async () => {
  const seq = now();
  const { id, operation } = await instantiate();
  await untilStep(operation, 'discover', 'DONE');
  await terminateWorkflow(id);
  const lost = await settled(system.http, operation);
  expect(lost).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'ENGINE_LOST' } });
  expect(lost.error.detail).toContain('TERMINATED');
  expect(lost.error.remedy).toContain(`vnflow ops retry ${opOccId(operation)}`);

  expect((await system.http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(misdeeds(system.simulator, system.simulator.ledger.entries(seq))).toEqual([]);
  const steps = (await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${opOccId(operation)}/timeline`)).data.steps;
  const attempts = Object.fromEntries(steps.map((step: { id: string; attempt: number }) => [step.id, step.attempt]));
  expect([attempts['applyStack'], attempts['discover']]).toEqual([1, 1]);
});

it('a control finds out by itself that the workflow is gone, also in FAILED_TEMP; rollback leaves the cloud as it was', async () => {
  const before = system.simulator.fingerprint().content;
  const { id, operation } = await instantiateUntilItFails();
  await terminateWorkflow(id);
  expect((await system.http.post(`${operation}/rollback`)).status).toBe(202);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(system.simulator.fingerprint().content).toEqual(before);
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
  await expectOldLogsRemoved(opOccId(operation));
});

/** No further operation of a deleted instance pushes its logs out. */
async function expectOldLogsRemoved(id: string) {
  const { db } = system;
  await appendStepLog(db, { vnfLcmOpOccId: id, stepId: 'applyStack', attempt: 1 }, 'a line\n');
  const logs = () => db.selectFrom('operationStepLog').select('stepId').where('vnfLcmOpOccId', '=', id).execute();
  expect(await logs()).not.toEqual([]);
  const stateEnteredTime = new Date(Date.now() - 31 * 24 * 3600 * 1000);
  await db.updateTable('vnfLcmOpOcc').set({ stateEnteredTime }).where('id', '=', id).execute();
  await expect.poll(logs, { timeout: 10_000 }).toEqual([]);
}

it('an operation that was lost before it had a plan is retried from the beginning', async () => {
  system.simulator.faults.add({ service: 'glance', times: 1, effect: { delaySeconds: 600 } });
  const { id, operation } = await instantiate();
  await terminateWorkflow(id);
  expect(await settled(system.http, operation)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'ENGINE_LOST' },
  });
  expect((await system.http.post(`${operation}/retry`)).status).toBe(202);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
});

it('a lost operation can be given up; the instance cannot be deleted while its stack is in the cloud, and can afterwards', async () => {
  const { id, operation } = await instantiateUntilItFails();
  await terminateWorkflow(id);
  expect((await system.http.post(`${operation}/fail`)).data).toMatchObject({ operationState: 'FAILED' });
  const refused = await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`);
  expect([refused.status, refused.data.code]).toEqual([409, 'VNF_LEFTOVERS']);
  expect(refused.data.detail).toContain(`vnf-${id}`);

  const again = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, system.instantiateBody()),
  );
  expect(await settled(system.http, again)).toMatchObject({ operationState: 'COMPLETED' });
  const end = operationOf(
    await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' }),
  );
  expect(await settled(system.http, end)).toMatchObject({ operationState: 'COMPLETED' });
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
});

it('a rollback that was lost in its middle goes on as a rollback', async () => {
  const before = system.simulator.fingerprint().content;
  const { id, operation } = await instantiateUntilItFails();
  system.simulator.faults.add({ service: 'heat', method: 'DELETE', times: 1, effect: { delaySeconds: 400 } });
  expect((await system.http.post(`${operation}/rollback`)).status).toBe(202);
  await untilStep(operation, 'deleteStack', 'RUNNING');
  await terminateWorkflow(id);
  expect(await settled(system.http, operation)).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'ENGINE_LOST' },
  });
  expect((await system.http.post(`${operation}/rollback`)).status).toBe(202);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(system.simulator.fingerprint().content).toEqual(before);
});

it('a request that nothing accepted goes away with its sealed passwords; a younger one stays', async () => {
  const { db, secrets } = system;
  const vnfInstanceId = await createInstance(system.http, vnfdId);
  const keep = async (vnfLcmOpOccId: string, age: string) => {
    const request = { vnfLcmOpOccId, vnfInstanceId, tenant: 't', operation: 'INSTANTIATE' as const };
    await keepLcmRequest(db, secrets, { ...request, params: { password: 'canary' }, operationParams: {} });
    await db
      .updateTable('lcmRequest')
      .set({ createdAt: new Date(Date.now() - Number(age) * 1000) })
      .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
      .execute();
  };
  const [old, young] = [crypto.randomUUID(), crypto.randomUUID()];
  await keep(old, '90');
  await keep(young, '0');
  const kept = async () => [
    (await db.selectFrom('lcmRequest').select('vnfLcmOpOccId as id').execute()).map(({ id }) => id),
    (await db.selectFrom('secret').select('owner').where('owner', 'in', [old, young]).execute()).map(
      ({ owner }) => owner,
    ),
  ];
  await expect.poll(kept, { timeout: 10_000 }).toEqual([[young], [young]]);
});
