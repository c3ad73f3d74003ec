import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuditTrail, createAuditTrail } from '../../store/audit-trail.ts';
import { givenOperation } from '../../test/testing/api/given.ts';
import { startTestApi, type TestApi } from '../../test/testing/api/test-api.ts';

const key = randomBytes(32);
let test: TestApi;
let verifications = 0;
let held = Promise.resolve();
/** The trail of the test's store, which exists only after the API. */
const trail: AuditTrail = {
  append: (event) => createAuditTrail(test.db, key).append(event),
  list: (project, options) => createAuditTrail(test.db, key).list(project, options),
  verify: async () => {
    verifications++;
    await held;
    return createAuditTrail(test.db, key).verify();
  },
};

beforeAll(async () => {
  test = await startTestApi({ auditTrail: trail });
});
afterAll(() => test.stop());

const entries = async () => (await test.call('GET', '/vnflow/v1/audit?limit=1000')).json.entries;

it('has who started what from where and how it ended, with the request id of the answer; reads are not in it', async () => {
  const { id, opOccId } = await givenOperation(test);
  const refused = await test.call('POST', `/vnflcm/v2/vnf_instances/${id}/instantiate`, { json: { flavourId: 7 } });
  await test.call('GET', `/vnflcm/v2/vnf_instances/${id}`);
  await expect.poll(async () => (await entries()).length).toBe(5);
  const [, , , started, wrong] = await entries();
  expect(started).toMatchObject({
    who: 'somebody',
    project: test.tenant,
    source: '127.0.0.1',
    action: 'POST /vnflcm/v2/vnf_instances/:id/instantiate',
    resource: `/vnflcm/v2/vnf_instances/${id}/instantiate`,
    status: 202,
    vnfLcmOpOccId: opOccId,
  });
  expect(wrong).toMatchObject({ status: refused.status, code: refused.json.code });
  expect(wrong.requestId).toBe(refused.headers.get('x-openstack-request-id'));
  const { json: timeline } = await test.call('GET', `/vnflow/v1/vnf_lcm_op_occs/${opOccId}/timeline`);
  expect(timeline.startedBy).toBe('somebody');
  const lines = test.logged.filter((line) => line.includes('"audit":'));
  expect(lines.some((line) => line.includes(started.hash) && line.includes(opOccId))).toBe(true);
});

async function entryCount(): Promise<number> {
  return (await test.db.selectFrom('auditEntry').selectAll().execute()).length;
}

it('belongs to the project: another one does not see it', async () => {
  const { json } = await test.call('GET', '/vnflow/v1/audit', { token: 'member@another' });
  expect(json).toEqual({ entries: [], next: 0 });
});

it('has refused logins, one per address in ten seconds, and never the token', async () => {
  const count = () => test.db.selectFrom('auditEntry').selectAll().where('status', '=', 401).execute();
  for (let tries = 0; tries < 5; tries++)
    expect((await test.call('GET', '/vnflcm/v2/vnf_instances', { token: 'wrong-token' })).status).toBe(401);
  await expect.poll(async () => (await count()).length).toBe(1);
  expect(await count()).toMatchObject([{ who: '', project: null, code: 'UNAUTHORIZED' }]);
  expect(test.logged.join('')).not.toContain('wrong-token');
});

it('has one entry for hundreds of requests without a caller, also when they write and are refused with 429', async () => {
  const flooded = await startTestApi({ auditTrail: trail });
  const before = await entryCount();
  const codes = new Set<number>();
  for (let tries = 0; tries < 130; tries++) {
    const token = `wrong-${tries}`;
    const path = '/vnflcm/v2/vnf_instances';
    const request = tries % 2 ? flooded.call('GET', path, { token }) : flooded.call('POST', path, { token, json: {} });
    codes.add((await request).status);
  }
  await flooded.stop();
  expect(codes).toEqual(new Set([401, 429]));
  expect((await entryCount()) - before).toBe(1);
});

it('reads the trail once for all who verify it at a time, and shows members nothing of other projects', async () => {
  verifications = 0;
  held = delay(500);
  const answers = await Promise.all(Array.from({ length: 5 }, () => test.call('GET', '/vnflow/v1/audit/verify')));
  expect(answers.map(({ json }) => json)).toEqual(Array(5).fill({ ok: true }));
  expect(verifications).toBe(1);
});

it('verifies, finds a changed entry and a missing one, and is not fooled by a chain under another key', async () => {
  const token = `admin@${test.tenant}`;
  const verify = async (options = {}) => (await test.call('GET', '/vnflow/v1/audit/verify', options)).json;
  const whole = await verify({ token });
  expect(whole).toMatchObject({ ok: true, last: { seq: whole.entries } });
  expect((await createAuditTrail(test.db, randomBytes(32)).verify()).brokenAt).toBe(1);

  await test.db.updateTable('auditEntry').set({ who: 'another one' }).where('seq', '=', '3').execute();
  expect(await verify({ token })).toMatchObject({ ok: false, brokenAt: 3 });
  expect(await verify()).toEqual({ ok: false });
  await test.db.updateTable('auditEntry').set({ who: 'somebody' }).where('seq', '=', '3').execute();
  expect((await trail.verify()).ok).toBe(true);
  await test.db.deleteFrom('auditEntry').where('seq', '=', '2').execute();
  expect(await trail.verify()).toMatchObject({ ok: false, brokenAt: 2 });
});
