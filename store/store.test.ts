import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planInstantiateRollback } from '../domain/stack-plans/instantiate.ts';
import { planInstantiate } from '../test/testing/domain/cluster-plans.ts';
import { openTestStore } from '../test/testing/test-store.ts';
import { acceptLcmRequest, deleteIdleVnfInstance, keepLcmRequest } from './lcm-requests.ts';
import type { Database } from './open-store.ts';
import { findPlan, keepPlan } from './operation-plans.ts';
import {
  insertPlanSteps,
  listEvents,
  listSteps,
  lockRunningStep,
  recordStepEnded,
  recordStepLog,
  recordStepStarted,
} from './operation-steps.ts';
import { findOperation, keepOperationFacts, readOperationFact, recordOperationState } from './operations.ts';
import { createSecrets } from './secrets.ts';
import { expectedDurations, learnStepDuration } from './step-durations.ts';
import { appendStepLog, forgetOlderLogs, forgetOldLogs, readStepLog, shortenStepLog } from './step-logs.ts';
import { findVnfInstance, insertVnfInstance } from './vnf-instances.ts';
import { readVnfPackageBytes, vnfPackageContentLength } from './vnf-package-content.ts';
import { findVnfPackage, insertVnfPackage, onboardVnfPackage, readVnfPackageFiles } from './vnf-packages.ts';

let db: Database;
const tenant = randomUUID();
beforeAll(async () => {
  db = await openTestStore();
});
afterAll(() => db.destroy());

async function instance() {
  const packageId = randomUUID();
  const vnfdId = randomUUID();
  await insertVnfPackage(db, { id: packageId, tenant, userDefinedData: { kind: 'test' } });
  await onboardVnfPackage(db, packageId, randomBytes(2_500_000), {
    vnfdId,
    provider: 'Company',
    productName: 'Sample VNF',
    softwareVersion: '1.0',
    vnfdVersion: '1.0',
    checksum: { algorithm: 'sha512', hash: 'ab' },
    softwareImages: [{ id: 'masterNode' }],
    additionalArtifacts: [],
    largeFiles: [],
    files: new Map([
      ['Definitions/vnfd.yaml', Buffer.from('a: 1')],
      ['Scripts/install.sh', Buffer.from('exit 0')],
    ]),
  });
  const id = randomUUID();
  await insertVnfInstance(db, {
    id,
    tenant,
    vnfdId,
    packageId,
    provider: 'Company',
    productName: 'Sample VNF',
    softwareVersion: '1.0',
    vnfdVersion: '1.0',
  });
  return { id, packageId };
}

async function operation() {
  const { id: vnfInstanceId } = await instance();
  const id = randomUUID();
  await keepLcmRequest(db, createSecrets(db, randomBytes(32)), {
    vnfLcmOpOccId: id,
    vnfInstanceId,
    tenant,
    operation: 'INSTANTIATE',
    params: { flavourId: 'simple', password: 'secret' },
    operationParams: { flavourId: 'simple' },
  });
  await acceptLcmRequest(db, id);
  return { id, vnfInstanceId };
}

it('keeps a package with its archive and files, and shows that it is in use', async () => {
  const { packageId } = await instance();
  expect(await findVnfPackage(db, tenant, packageId)).toMatchObject({
    onboardingState: 'ONBOARDED',
    operationalState: 'ENABLED',
    usageState: 'IN_USE',
    userDefinedData: { kind: 'test' },
    softwareImages: [{ id: 'masterNode' }],
  });
  const pieces = await Array.fromAsync(readVnfPackageBytes(db, packageId, { first: 0, last: 2_499_999 }));
  expect(Buffer.concat(pieces).length).toBe(2_500_000);
  expect(await vnfPackageContentLength(db, packageId)).toBe(2_500_000);
  expect([...(await readVnfPackageFiles(db, packageId)).keys()].sort()).toEqual([
    'Definitions/vnfd.yaml',
    'Scripts/install.sh',
  ]);
});

it("does not find another tenant's instance", async () => {
  const { id } = await instance();
  expect(await findVnfInstance(db, id, tenant)).toBeDefined();
  expect(await findVnfInstance(db, id, randomUUID())).toBeUndefined();
});

it('refuses to delete an instantiated instance', async () => {
  const { id, vnfInstanceId } = await operation();
  await recordOperationState(db, id, {
    seq: 1,
    state: 'COMPLETED',
    text: 'done',
    instance: { instantiationState: 'INSTANTIATED', instantiatedVnfInfo: { flavourId: 'simple' } },
  });
  expect(await deleteIdleVnfInstance(db, vnfInstanceId)).toBe('instantiated');
  expect((await findVnfInstance(db, vnfInstanceId))?.instantiatedVnfInfo).toEqual({ flavourId: 'simple' });
});

it('accepts a request once, however often it is called', async () => {
  const { id } = await operation();
  expect(await acceptLcmRequest(db, id)).toBe(true);
  expect(await acceptLcmRequest(db, randomUUID())).toBe(false);
  expect((await findOperation(db, id))?.operationState).toBe('STARTING');
  expect((await listEvents(db, id, '0')).length).toBe(1);
});

it('shows what each step did, attempt by attempt', async () => {
  const { id } = await operation();
  await insertPlanSteps(
    db,
    id,
    planInstantiate({
      controlPlane: { vduId: 'masterNode', count: 1 },
      workers: { vduId: 'workerNode', count: 2 },
      loadBalanced: false,
    }),
  );
  const key = { vnfLcmOpOccId: id, stepId: 'prepareNode-workerNode-1', summary: 'prepare workerNode[1]' };
  expect(await recordStepStarted(db, key)).toBe(1);
  await recordStepEnded(db, { ...key, attempt: 1, outcome: { state: 'WAITING', error: { detail: 'mirror down' } } });
  expect(await recordStepStarted(db, key)).toBe(2);
  await recordStepEnded(db, { ...key, attempt: 2, outcome: { state: 'DONE' } });
  const steps = await listSteps(db, id);
  expect(steps.map(({ stepId }) => stepId)).toEqual([
    'applyStack',
    'discover',
    'prepareNode-masterNode-0',
    'prepareNode-workerNode-0',
    'prepareNode-workerNode-1',
    'initControlPlane-masterNode-0',
    'installCni-masterNode-0',
    'joinWorker-workerNode-0',
    'joinWorker-workerNode-1',
    'verifyCluster-masterNode-0',
    'snapshotEtcd-masterNode-0',
    'scheduleSnapshots',
  ]);
  expect(steps[4]).toMatchObject({ state: 'DONE', attempt: 2, error: null, after: ['discover'] });
  expect((await listEvents(db, id, '0')).map(({ text }) => text)).toEqual([
    'INSTANTIATE accepted',
    'prepare workerNode[1]',
    'prepare workerNode[1]: mirror down',
    'prepare workerNode[1]: attempt 2',
    'prepare workerNode[1]: done',
  ]);
});

it('ignores an attempt that a later one has overtaken, and changes no operation that has ended', async () => {
  const { id } = await operation();
  await insertPlanSteps(db, id, planInstantiateRollback());
  const key = { vnfLcmOpOccId: id, stepId: 'deleteStack', summary: 'delete the Heat stack' };
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, seconds));
  expect(await recordStepStarted(db, { ...key, scheduledAt: at(1) })).toBe(1);
  expect(await recordStepStarted(db, { ...key, scheduledAt: at(9) })).toBe(2);
  await expect(recordStepStarted(db, { ...key, scheduledAt: at(5) })).rejects.toThrow(/too late/);
  await recordStepEnded(db, { ...key, attempt: 1, outcome: { state: 'FAILED', error: { detail: 'connection lost' } } });
  await recordStepLog(db, { ...key, attempt: 1 }, 'old');
  for (const attempt of [1, 2]) await appendStepLog(db, { ...key, attempt }, `of attempt ${attempt}`);
  expect((await readStepLog(db, { ...key, attempt: 1 }, 0)).text).toBe('');
  expect((await readStepLog(db, { ...key, attempt: 2 }, 0)).text).toBe('of attempt 2');
  const locked = (attempt: number) => db.transaction().execute((tx) => lockRunningStep(tx, { ...key, attempt }));
  expect([await locked(1), await locked(2)]).toEqual([false, true]);
  expect((await listSteps(db, id))[0]).toMatchObject({ state: 'RUNNING', attempt: 2, error: null, logTail: null });
  await recordStepEnded(db, { ...key, attempt: 2, outcome: { state: 'DONE' } });
  expect(await locked(2)).toBe(false);

  await recordOperationState(db, id, { seq: 1, state: 'ROLLED_BACK', text: 'ROLLED_BACK' });
  await recordOperationState(db, id, { seq: 2, state: 'PROCESSING', text: 'late' });
  expect((await findOperation(db, id))?.operationState).toBe('ROLLED_BACK');
  await expect(recordStepStarted(db, { ...key, scheduledAt: at(20) })).rejects.toMatchObject({
    code: 'OPERATION_STATE',
  });
});

it('keeps the end of a log, and the logs of the newest operations of an instance', async () => {
  const { id, vnfInstanceId } = await operation();
  await insertPlanSteps(db, id, planInstantiateRollback());
  const key = { vnfLcmOpOccId: id, stepId: 'deleteStack', attempt: 1 };
  for (const text of ['one\n', 'two\n', 'three\n']) await appendStepLog(db, key, text);
  await appendStepLog(db, { ...key, attempt: 2 }, 'another attempt\n');
  expect(await readStepLog(db, key, 0)).toEqual({ text: 'one\ntwo\nthree\n', next: 3 });
  expect(await readStepLog(db, key, 2)).toEqual({ text: 'three\n', next: 3 });
  await shortenStepLog(db, key, 10);
  expect(await readStepLog(db, key, 0)).toEqual({ text: 'two\nthree\n', next: 3 });
  await forgetOlderLogs(db, vnfInstanceId, 1);
  expect((await readStepLog(db, key, 0)).text).toBe('two\nthree\n');
  await forgetOlderLogs(db, vnfInstanceId, 0);
  expect((await readStepLog(db, key, 0)).text).toBe('');
  expect((await readStepLog(db, { ...key, attempt: 2 }, 0)).text).toBe('');
});

it('keeps the logs of an operation that is open, and removes them some days after its end', async () => {
  const { id } = await operation();
  await insertPlanSteps(db, id, planInstantiateRollback());
  const key = { vnfLcmOpOccId: id, stepId: 'deleteStack', attempt: 1 };
  await appendStepLog(db, key, 'one\n');
  const age = async (days: number) => {
    const stateEnteredTime = new Date(Date.now() - days * 24 * 3600 * 1000);
    await db.updateTable('vnfLcmOpOcc').set({ stateEnteredTime }).where('id', '=', id).execute();
    return forgetOldLogs(db, 30);
  };
  expect(await age(400), 'an open operation').toBe(0);
  await recordOperationState(db, id, { seq: 1, state: 'ROLLED_BACK', text: 'ROLLED_BACK' });
  expect(await age(29)).toBe(0);
  expect((await readStepLog(db, key, 0)).text).toBe('one\n');
  expect(await age(31)).toBe(1);
  expect((await readStepLog(db, key, 0)).text).toBe('');
});

it('writes each record of an operation once, in the order of their numbers', async () => {
  const { id } = await operation();
  const state = async () => (await findOperation(db, id))?.operationState;
  await recordOperationState(db, id, { seq: 2, state: 'PROCESSING', text: 'granted' });
  await recordOperationState(db, id, { seq: 3, state: 'FAILED_TEMP', text: 'failed' });
  await recordOperationState(db, id, { seq: 2, state: 'PROCESSING', text: 'granted, by a worker that was stopped' });
  await recordOperationState(db, id, { seq: 3, state: 'FAILED_TEMP', text: 'failed, a second time' });
  expect(await state()).toBe('FAILED_TEMP');
  const texts = (await listEvents(db, id, '0')).map(({ text }) => text);
  expect(texts).toEqual(['INSTANTIATE accepted', 'granted', 'failed']);
});

it('keeps the first plan of an operation, and sets its steps to waiting when the plan is begun a second time', async () => {
  const { id } = await operation();
  const plan = planInstantiateRollback();
  expect(await keepPlan(db, id, plan)).toEqual(plan);
  expect(await keepPlan(db, id, { ...plan, steps: [] })).toEqual(plan);
  expect(await findPlan(db, id, 'rollback')).toEqual(plan);
  const key = { vnfLcmOpOccId: id, stepId: 'deleteStack', summary: 'delete the Heat stack' };
  const attempt = await recordStepStarted(db, key);
  await recordStepEnded(db, { ...key, attempt, outcome: { state: 'DONE' } });
  await recordOperationState(db, id, { seq: 1, state: 'ROLLING_BACK', text: 'ROLLING_BACK', follow: 'rollback' });
  expect((await listSteps(db, id)).map(({ state }) => state)).toEqual(['WAITING', 'WAITING']);
});

it('keeps the facts that parallel steps write', async () => {
  const { id } = await operation();
  await Promise.all([
    keepOperationFacts(db, id, { restore: { backupId: 'b\u0000\ud800' } }), // PostgreSQL could keep neither
    keepOperationFacts(db, id, { fenced: { server: 'slot' } }),
  ]);
  expect([await readOperationFact(db, id, 'restore'), await readOperationFact(db, id, 'fenced')]).toEqual([
    { backupId: 'b' },
    { server: 'slot' },
  ]);
  expect(await readOperationFact(db, id, 'cluster')).toBeUndefined();
});

it('seals secrets: they are not readable in the row, nor under another key or name', async () => {
  const secrets = createSecrets(db, randomBytes(32));
  await secrets.put('vim/1', { password: 'canary-password' }, 'vim-1');
  expect(await secrets.get('vim/1')).toEqual({ password: 'canary-password' });
  const row = await db.selectFrom('secret').selectAll().where('name', '=', 'vim/1').executeTakeFirstOrThrow();
  expect(Buffer.from(row.sealed).includes('canary')).toBe(false);
  await expect(createSecrets(db, randomBytes(32)).get('vim/1')).rejects.toThrow();
  await db.updateTable('secret').set({ name: 'vim/2' }).where('name', '=', 'vim/1').execute();
  await expect(secrets.get('vim/2')).rejects.toThrow();
  expect(await secrets.getOrPut('shared', 'first', 'vim-1')).toBe('first');
  expect(await secrets.getOrPut('shared', 'second', 'vim-1')).toBe('first');
  await secrets.removeOwnedBy('vim-1');
  expect(await secrets.get('vim/2')).toBeUndefined();
});

it('expects a step to take as long as earlier steps of its kind, and 25 s before there were any', async () => {
  await db.deleteFrom('stepDuration').execute();
  expect((await expectedDurations(db))('joinWorker')).toBe(25);
  await learnStepDuration(db, 'joinWorker', 10);
  await learnStepDuration(db, 'joinWorker', 20);
  expect((await expectedDurations(db))('joinWorker')).toBeCloseTo(15);
});
