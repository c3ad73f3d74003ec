import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { keepLcmRequest } from '../../store/lcm-requests.ts';
import { findOperation } from '../../store/operations.ts';
import { createSecrets, secretName } from '../../store/secrets.ts';
import { findVnfInstance, insertVnfInstance } from '../../store/vnf-instances.ts';
import { insertVnfPackage } from '../../store/vnf-packages.ts';
import { openTestStore } from '../../test/testing/test-store.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createRecordActivities } from './index.ts';

const db = await openTestStore();
const secrets = createSecrets(db, randomBytes(32));
// The records of a MODIFY_INFO need the store only.
const records = createRecordActivities({
  db,
  secrets,
  log: pino({ level: 'silent' }),
} as unknown as ActivityDependencies);
const tenant = 'a tenant';

async function givenInstance(): Promise<string> {
  const [id, packageId] = [randomUUID(), randomUUID()];
  await insertVnfPackage(db, { id: packageId, tenant, userDefinedData: {} });
  const vnfd = { vnfdId: 'v', provider: 'p', productName: 'n', softwareVersion: '1', vnfdVersion: '1' };
  await insertVnfInstance(db, { id, tenant, packageId, ...vnfd, name: 'old', metadata: { keep: 1, drop: 2 } });
  const connection = { vimType: 'T', accessInfo: { username: 'u', password: 'old-password' } };
  await secrets.put(secretName.vimConnectionInfo(id), { vim1: connection }, id);
  return id;
}

/**
 * The activities of a MODIFY_INFO in the order in which its workflow runs them. Each runs twice, as Temporal may have
 * it.
 */
async function modify(vnfInstanceId: string, params: Record<string, unknown>) {
  const ref = { vnfInstanceId, vnfLcmOpOccId: randomUUID() };
  await keepLcmRequest(db, secrets, { ...ref, tenant, operation: 'MODIFY_INFO', params, operationParams: {} });
  await records.recordAccepted(ref);
  const { steps } = await records.makePlan({ ...ref, direction: 'forward' });
  expect(steps).toEqual([]);
  const started = { ...ref, seq: 1, state: 'PROCESSING', round: 0, follow: 'forward' } as const;
  for (const _ of [1, 2]) await records.recordState(started);
  for (const _ of [1, 2]) await records.recordEnd({ ...ref, seq: 2, direction: 'forward' });
  return findOperation(db, ref.vnfLcmOpOccId);
}

it('writes what was changed into the instance, and into the operation without secrets', async () => {
  const id = await givenInstance();
  const operation = await modify(id, {
    vnfInstanceName: 'new',
    metadata: { drop: null, more: 3 },
    vimConnectionInfo: { vim1: { accessInfo: { password: 'new-password' } } },
  });
  expect(operation).toMatchObject({ operationState: 'COMPLETED', grantId: null, resourceChanges: null });
  expect(operation?.changedInfo).toEqual({
    vnfInstanceName: 'new',
    metadata: { keep: 1, more: 3 },
    vimConnectionInfo: { vim1: { vimType: 'T', accessInfo: { username: 'u' } } },
  });
  const row = await findVnfInstance(db, id);
  expect(row).toMatchObject({ name: 'new', metadata: { keep: 1, more: 3 }, instantiationState: 'NOT_INSTANTIATED' });
  expect(JSON.stringify([row, operation])).not.toContain('password');
  expect(await secrets.get(secretName.vimConnectionInfo(id))).toEqual({
    vim1: { vimType: 'T', accessInfo: { username: 'u', password: 'new-password' } },
  });
});

it('leaves an instance as it is when nothing differs', async () => {
  const id = await givenInstance();
  const before = await findVnfInstance(db, id);
  const operation = await modify(id, { vnfInstanceName: 'old' });
  expect([operation?.operationState, operation?.changedInfo]).toEqual(['COMPLETED', null]);
  expect(await findVnfInstance(db, id)).toEqual(before);
});
