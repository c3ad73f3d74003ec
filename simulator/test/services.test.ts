import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../composition.ts';
import { isObject, type JsonObject, listAt, objectAt } from '../world/cloud/json.ts';
import { type Client, login, passwordAuth, request, startCloud, type TestMachines, topStack } from './testing/cloud.ts';

let cloud: Simulator<TestMachines>;
let member: Client;
beforeAll(async () => {
  cloud = await startCloud({ tokenLifetime: 30 });
  member = await login(cloud);
});
afterAll(() => cloud.stop());
afterEach(() => void cloud.faults.remove());

describe('permissions', () => {
  it('keeps projects apart: another project’s stack, server, port and image are not found', async () => {
    const made = await member.heat('POST', '/stacks', topStack('mine', 1));
    const path = `/stacks/mine/${objectAt(made.body, 'stack')['id']}`;
    await member.settled(path);
    const other = await login(cloud, 'other_user', 'other');
    const server = Object.keys(cloud.cloud.state.servers)[0];
    const port = Object.values(cloud.cloud.state.ports).find(({ deviceId }) => deviceId === server)?.id;
    expect((await other.heat('GET', path)).status).toBe(404);
    expect((await other.call('GET', `/heat-api/v1/${member.projectId}${path}`)).status).toBe(403);
    expect((await other.call('GET', `/compute/v2.1/servers/${server}`)).status).toBe(404);
    expect((await other.call('DELETE', `/networking/v2.0/ports/${port}`)).status).toBe(404);
    expect(listAt((await other.call('GET', '/compute/v2.1/servers')).body, 'servers')).toEqual([]);
    await member.heat('DELETE', path);
    await member.settled(path);
  });

  it('lets a reader look and change nothing', async () => {
    const reader = await login(cloud, 'nfv_reader');
    expect((await reader.heat('GET', '/stacks')).status).toBe(200);
    expect((await reader.heat('POST', '/stacks', topStack('no'))).status).toBe(403);
    expect((await reader.call('POST', '/networking/v2.0/ports', { port: {} })).status).toBe(403);
  });

  it('shows hosts to an admin only', async () => {
    for (const name of ['admin', 'nfv_user']) {
      const admin = await login(cloud, name);
      expect((await admin.call('GET', '/compute/v2.1/os-hypervisors')).status).toBe(200);
    }
    const plain = await login(cloud, 'nfv_member');
    expect((await plain.call('GET', '/compute/v2.1/os-hypervisors')).status).toBe(403);
  });
});

describe('tokens', () => {
  it('expire, and a new one is issued for the password', async () => {
    const brief = await startCloud({ tokenLifetime: 0.2 });
    try {
      const client = await login(brief);
      expect((await client.heat('GET', '/stacks')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect((await client.heat('GET', '/stacks')).status).toBe(401);
      expect((await (await login(brief)).heat('GET', '/stacks')).status).toBe(200);
    } finally {
      await brief.stop();
    }
  });

  it('may ask about themselves and be exchanged for another scope', async () => {
    const own = await request(`${cloud.authUrl}/auth/tokens`, 'GET', { headers: { 'X-Subject-Token': member.token } });
    expect(own.status).toBe(200);
    const identity = { methods: ['token'], token: { id: member.token } };
    const body = { auth: { identity, scope: { project: { id: member.projectId } } } };
    expect((await request(`${cloud.authUrl}/auth/tokens`, 'POST', { body })).status).toBe(201);
  });

  it('are never on the disk, nor in the ledger', async () => {
    expect(JSON.stringify(cloud.cloud.state)).not.toContain(member.token);
    expect(JSON.stringify(cloud.ledger.entries())).not.toContain(member.token);
    expect(createHash('sha256').update(member.token).digest('hex') in cloud.cloud.state.tokens).toBe(true);
  });
});

describe('ordered failures', () => {
  const addFault = (fault: object) =>
    request(`${cloud.url}/_simulator/faults`, 'POST', { body: JSON.parse(JSON.stringify(fault)) });

  it('answers as the fault says, so many times, with Retry-After, then works again', async () => {
    await addFault({
      service: 'heat',
      method: 'GET',
      pathContains: '/stacks',
      times: 2,
      effect: { status: 503, retryAfter: 7 },
    });
    const first = await member.heat('GET', '/stacks');
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await member.call('GET', '/compute/v2.1/servers')).status).toBe(200);
    expect((await member.heat('GET', '/stacks')).status).toBe(503);
    expect((await member.heat('GET', '/stacks')).status).toBe(200);
    expect(
      objectAt({ all: (await request(`${cloud.url}/_simulator/faults`, 'GET', {})).body }, 'all')['faults'],
    ).toEqual([]);
  });

  it('does the work and then fails the answer', async () => {
    await addFault({ service: 'heat', method: 'POST', times: 1, effect: { status: 504, afterSuccess: true } });
    expect((await member.heat('POST', '/stacks', topStack('ghost', 1))).status).toBe(504);
    expect((await member.heat('POST', '/stacks', topStack('ghost', 1))).status).toBe(409);
    const [ghost] = listAt((await member.heat('GET', '/stacks?name=ghost')).body, 'stacks').filter(isObject);
    const path = `/stacks/ghost/${ghost?.['id']}`;
    await member.settled(path);
    await member.heat('DELETE', path);
    await member.settled(path);
  });

  it('resets the connection, or never answers', async () => {
    await addFault({ service: 'nova', times: 1, effect: { resetConnection: true } });
    await expect(member.call('GET', '/compute/v2.1/servers')).rejects.toThrow();
    await addFault({ service: 'nova', times: 1, effect: { hang: true } });
    const signal = AbortSignal.timeout(100);
    await expect(
      fetch(`${cloud.url}/compute/v2.1/servers`, { headers: { 'X-Auth-Token': member.token }, signal }),
    ).rejects.toThrow();
  });

  it('refuses a fault without any supported effect', async () => {
    expect((await addFault({ service: 'heat', effect: { explode: true } })).status).toBe(400);
  });
});

describe('the control API', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(`${cloud.url}/_simulator${path}`, 'GET', { headers });

  it('lists the requests to the cloud, without their bodies', async () => {
    await request(`${cloud.authUrl}/auth/tokens`, 'POST', { body: passwordAuth('nfv_user', 'nfv') });
    const entries = listAt((await get('/ledger?after=0')).body, 'entries').filter(isObject);
    expect(entries.some(({ where, what }) => where === 'keystone' && what === 'POST /identity/v3/auth/tokens')).toBe(
      true,
    );
    expect(JSON.stringify(entries)).not.toContain('devstack');
    const last = entries.at(-1)?.['seq'];
    expect(listAt((await get(`/ledger?after=${last}`)).body, 'entries').length).toBeLessThan(entries.length);
  });

  it('answers with its identity, and refuses a page in a browser', async () => {
    expect((await get('/health')).body).toMatchObject({ pid: process.pid, directory: null, authUrl: cloud.authUrl });
    expect((await get('/health', { Origin: 'http://evil.example' })).status).toBe(403);
  });

  it('switches a server off and on by its name', async () => {
    const image = Object.values(cloud.cloud.state.images)[0]?.id ?? '';
    const flavor = Object.values(cloud.cloud.state.flavors)[0]?.id ?? '';
    const server = { name: 'box', imageRef: image, flavorRef: flavor, networks: 'auto' };
    const made = await member.call('POST', '/compute/v2.1/servers', { server });
    const id = String(objectAt(made.body, 'server')['id']);
    while (cloud.cloud.state.servers[id]?.status === 'BUILD') await new Promise((resolve) => setTimeout(resolve, 5));
    const power = (action: string) =>
      request(`${cloud.url}/_simulator/servers/box/power`, 'POST', { body: { action } });
    expect((await power('stop')).status).toBe(202);
    expect(cloud.nodes.running.get(id)?.isOn).toBe(false);
    expect(cloud.cloud.state.servers[id]?.status).toBe('SHUTOFF');
    expect((await power('start')).status).toBe(202);
    expect(cloud.nodes.running.get(id)?.isOn).toBe(true);
    expect((await power('crash')).status).toBe(202);
    expect(cloud.nodes.running.get(id)?.isOn).toBe(false);
    expect(cloud.cloud.state.servers[id]?.status).toBe('ACTIVE');
    const action = (body: JsonObject) => member.call('POST', `/compute/v2.1/servers/${id}/action`, body);
    expect((await action({ 'os-start': null })).status).toBe(409);
    expect((await action({ reboot: { type: 'HARD' } })).status).toBe(202);
    await expect.poll(() => cloud.nodes.running.get(id)?.isOn).toBe(true);
    expect((await power('explode')).status).toBe(400);
    await member.call('DELETE', `/compute/v2.1/servers/${id}`);
  });
});
