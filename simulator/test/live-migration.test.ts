import { afterEach, expect, it } from 'vitest';
import type { Simulator } from '../composition.ts';
import { GUIDE_LATENCY } from '../kernel/latency.ts';
import { type JsonObject, listAt, objectAt } from '../world/cloud/json.ts';
import { type Client, login, startCloud, type TestMachines } from './testing/cloud.ts';

let cloud: Simulator<TestMachines>;
let admin: Client;
afterEach(() => cloud.stop());

const SERVERS = '/compute/v2.1/servers';

/** Starts a cloud with two servers that must not share a host. @returns their ids */
async function start(hosts: number): Promise<string[]> {
  // a second of real time: long enough to be seen on a busy machine
  cloud = await startCloud({ hosts, latency: { ...GUIDE_LATENCY, apiCall: 0, liveMigration: 500 } });
  admin = await login(cloud);
  const { body } = await admin.call('POST', '/compute/v2.1/os-server-groups', {
    server_group: { name: 'apart', policies: ['anti-affinity'] },
  });
  const group = String(objectAt(body, 'server_group')['id']);
  const { flavors, images } = cloud.cloud.state;
  const server = { name: 'one', flavorRef: Object.keys(flavors)[0] ?? '', imageRef: Object.keys(images)[0] ?? '' };
  const ids: string[] = [];
  for (let index = 0; index < 2; index++) {
    const created = await admin.call('POST', SERVERS, { server, 'os:scheduler_hints': { group } });
    ids.push(String(objectAt(created.body, 'server')['id']));
  }
  for (const id of ids) await expect.poll(() => cloud.cloud.state.servers[id]?.status).toBe('ACTIVE');
  return ids;
}

async function show(id: string, client = admin): Promise<JsonObject> {
  return objectAt((await client.call('GET', `${SERVERS}/${id}`)).body, 'server');
}
const hostOf = async (id: string) => (await show(id))['OS-EXT-SRV-ATTR:host'];
const migrate = (id: string, host: string | null, client = admin) =>
  client.call('POST', `${SERVERS}/${id}/action`, { 'os-migrateLive': { host, block_migration: 'auto' } });

it('moves a running server to a host that its group allows; its ports and its hostId go along', async () => {
  const [one = '', other = ''] = await start(3);
  const before = await show(one);
  expect((await migrate(one, null)).status).toBe(202);
  expect(await show(one)).toMatchObject({ status: 'MIGRATING', 'OS-EXT-STS:power_state': 1 });
  expect((await migrate(one, null)).status).toBe(409);
  await expect.poll(async () => (await show(one))['status'], { timeout: 10_000 }).toBe('ACTIVE');
  const after = await show(one);
  const hosts = ['compute-1', 'compute-2', 'compute-3'];
  expect(after['OS-EXT-SRV-ATTR:host']).toBe(
    hosts.find(
      (host) => host !== before['OS-EXT-SRV-ATTR:host'] && host !== (cloud.cloud.state.servers[other]?.host ?? ''),
    ),
  );
  expect(after['hostId']).not.toBe(before['hostId']);
  const ports = listAt((await admin.call('GET', `/networking/v2.0/ports?device_id=${one}`)).body, 'ports');
  expect(ports).toMatchObject([{ 'binding:host_id': after['OS-EXT-SRV-ATTR:host'] }]);
});

it('refuses a host that the group forbids, an unknown one, and a user who is no admin', async () => {
  const [one = '', other = ''] = await start(2);
  const taken = String(await hostOf(other));
  const refused = await migrate(one, taken);
  expect([refused.status, refused.body]).toEqual([
    400,
    { badRequest: { code: 400, message: 'No valid host was found. There are not enough hosts available.' } },
  ]);
  expect((await migrate(one, null)).status).toBe(400);
  expect((await migrate(one, 'compute-9')).body).toEqual({
    badRequest: { code: 400, message: 'Compute host compute-9 could not be found.' },
  });
  expect((await migrate(one, null, await login(cloud, 'nfv_member'))).status).toBe(403);
});

it('shows the host to an admin only, and hostId to everyone', async () => {
  const [one = ''] = await start(2);
  const plain = await show(one, await login(cloud, 'nfv_member'));
  expect(plain['OS-EXT-SRV-ATTR:host']).toBeUndefined();
  expect(plain['hostId']).toBe((await show(one))['hostId']);
  expect(await hostOf(one)).toMatch(/^compute-/);
});
