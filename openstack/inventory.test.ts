import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RecordedCloud, recorded, startRecordedCloud } from '../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../test/testing/problem-of.ts';
import { createImage, deleteImage, findImage, uploadImage } from './glance.ts';
import { listFloatingIps, listPorts } from './neutron.ts';
import { consoleOutput, listServers } from './nova.ts';
import { createSession, type Session } from './session.ts';

let cloud: RecordedCloud;
let session: Session;
beforeEach(async () => {
  cloud = await startRecordedCloud();
  session = createSession(cloud.credentials);
});
afterEach(() => cloud.stop());

test('the ports of a project are listed in one call, with only the fields that vnflow uses', async () => {
  const fields =
    'fields=id&fields=name&fields=network_id&fields=device_id&fields=mac_address&fields=status&fields=fixed_ips';
  cloud.on(`GET /v2.0/ports?project_id=f67a9dea29c1457990b621766418b6b8&${fields}`, 'neutron-port');
  const ports = await listPorts(session);
  expect(ports.map(({ fixed_ips }) => fixed_ips[0]?.ip_address)).toEqual(['10.10.0.130']);
});

test('100 ids are sent in three calls with short URLs, and an empty list of ids needs no call', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`);
  await problemOf(listFloatingIps(session, { portIds: ids })); // the recorded cloud has no answer to this call
  const [first = ''] = cloud.calls;
  const fields = '&fields=id&fields=floating_ip_address&fields=fixed_ip_address&fields=port_id';
  for (const chunk of [ids.slice(0, 40), ids.slice(40, 80), ids.slice(80)]) {
    cloud.on(`GET /v2.0/floatingips?${chunk.map((id) => `port_id=${id}`).join('&')}${fields}`, 'neutron-floatingips');
  }
  const found = await listFloatingIps(session, { portIds: ids });
  expect(first.length).toBeLessThan(2_048);
  expect(found.map(({ floating_ip_address }) => floating_ip_address)).toEqual([
    '172.24.4.90',
    '172.24.4.90',
    '172.24.4.90',
  ]);
  expect(await listPorts(session, { ids: [] })).toEqual([]);
});

test('all servers are listed, also when Nova sends them in pages', async () => {
  const server = (id: string) => ({ id, name: id, status: 'ACTIVE' });
  const next = [{ rel: 'next', href: 'http://elsewhere.invalid/servers/detail?marker=b' }];
  cloud.on('GET /v2.1/servers/detail', {
    status: 200,
    body: { servers: [server('a'), server('b')], servers_links: next },
  });
  cloud.on('GET /v2.1/servers/detail?marker=b', { status: 200, body: { servers: [server('c')] } });
  expect((await listServers(session)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('the console of a server is text, and empty for a server without a console', async () => {
  cloud.on('POST /v2.1/servers/x/action', 'nova-console');
  expect(await consoleOutput(session, 'x', { length: 10 })).toBe('FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE');
  expect(cloud.bodies).toEqual([{ 'os-getConsoleOutput': { length: 10 } }]);
  cloud.on('POST /v2.1/servers/x/action', 'nova-404');
  expect(await consoleOutput(session, 'x')).toBe('');
});

test('an image is found, created, uploaded even when the first token is refused, and deleted', async () => {
  cloud.on('GET /v2/images?name=a%20%26%20b', 'glance-list-200');
  expect((await findImage(session, 'a & b'))?.status).toBe('active');
  cloud.on('POST /v2/images', 'glance-create-201');
  const image = await createImage(session, {
    name: 'rec-17993',
    diskFormat: 'qcow2',
    containerFormat: 'bare',
    minDiskGb: 1,
  });
  expect(image.status).toBe('queued');
  cloud.on(`PUT /v2/images/${image.id}/file`, 'glance-upload-204', 'glance-upload-again-409');
  cloud.revokeTokens();
  await uploadImage(session, image.id, { data: () => Readable.from([Buffer.from('QFI')]) });
  expect(cloud.bodies.at(-1)).toBe('QFI');
  const second = await problemOf(uploadImage(session, image.id, { data: () => Readable.from([Buffer.from('QFI')]) }));
  expect([second.code, second.message.includes('from active to saving is not allowed')]).toEqual([
    'VIM_REJECTED',
    true,
  ]);
  cloud.on(`DELETE /v2/images/${image.id}`, 'glance-delete-204', { ...recorded('glance-404') });
  await deleteImage(session, image.id);
  await deleteImage(session, image.id);
});
