import { afterEach, describe, expect, it } from 'vitest';
import type { Simulator, SimulatorOptions } from '../composition.ts';
import { isObject, type JsonObject, listAt, objectAt } from '../world/cloud/json.ts';
import { type Client, login, nfv, startCloud, type TestMachines, topStack, VDU1 } from './testing/cloud.ts';

let cloud: Simulator<TestMachines>;
let client: Client;
afterEach(() => cloud.stop());

async function start(options: SimulatorOptions = {}): Promise<void> {
  cloud = await startCloud(options);
  client = await login(cloud);
}

/** Creates a stack. @returns its path */
async function create(body: JsonObject): Promise<string> {
  const reply = await client.heat('POST', '/stacks', body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return `/stacks/${body['stack_name']}/${objectAt(reply.body, 'stack')['id']}`;
}

async function rows(path: string): Promise<JsonObject[]> {
  return listAt((await client.heat('GET', `${path}/resources?nested_depth=3`)).body, 'resources').filter(isObject);
}

function nestedPath(row: JsonObject | undefined): string {
  const link = listAt(row, 'links')
    .filter(isObject)
    .find(({ rel }) => rel === 'nested');
  return String(link?.['href']).split(client.projectId)[1] ?? '';
}

/** A template in the shape of StandardUserData: one nested resource per server. */
function indexed(count: number): string {
  const resource = (i: number) =>
    `  VDU1-${i}: {type: VDU1.yaml, properties: {flavor: m1.tiny, image: workerNode-image, net: net0, group: {get_resource: group}}}`;
  return `heat_template_version: 2018-08-31
resources:
  group: {type: "OS::Nova::ServerGroup", properties: {policies: [soft-anti-affinity]}}
${Array.from({ length: count }, (_, i) => resource(i)).join('\n')}`;
}

const files = { 'VDU1.yaml': VDU1 };

describe('creating', () => {
  it('works on everything at once: twenty servers take the time of one', async () => {
    await start({ speed: 20 });
    const began = cloud.clock.elapsed();
    const path = await create({ stack_name: 'wide', template: indexed(20), files });
    expect((await client.settled(path))['stack_status']).toBe('CREATE_COMPLETE');
    expect(cloud.clock.elapsed() - began).toBeLessThan(60); // twenty servers in sequence would take 260 s
    expect(cloud.nodes.running.size).toBe(20);
  });

  it('gives each of 500 servers its own address, within seconds', async () => {
    await start({ networkCidr: '10.10.0.0/20', hosts: 50 });
    const path = await create({ stack_name: 'huge', template: indexed(500), files });
    expect((await client.settled(path))['stack_status']).toBe('CREATE_COMPLETE');
    const addresses = [...cloud.nodes.running.values()].map(({ machine }) => machine.ports[0]?.address);
    expect(new Set(addresses).size).toBe(500);
    expect(await rows(path)).toHaveLength(501 + 1000);
  });

  it('spreads an anti-affinity group over hosts and says No valid host when they are used up', async () => {
    await start({ hosts: 2 });
    const template = indexed(3).replace('soft-anti-affinity', 'anti-affinity');
    const path = await create({ stack_name: 'tight', template, files });
    const stack = await client.settled(path);
    expect(stack['stack_status']).toBe('CREATE_FAILED');
    expect(stack['stack_status_reason']).toMatch(
      /^Resource CREATE failed: ResourceInError: resources\.VDU1-\d\.resources\.VDU1: Went to status ERROR due to "Message: No valid host was found\. There are not enough hosts available\., Code: 500"$/,
    );
    const hosts = Object.values(cloud.cloud.state.servers)
      .map(({ host }) => host)
      .filter((host) => host !== '');
    expect(new Set(hosts).size).toBe(2);
  });

  it('makes the replacement of a marked server first: neither hosts nor quota may be used up, unless Nova has deleted the old one', async () => {
    await start({ hosts: 3 });
    const template = indexed(3).replace('soft-anti-affinity', 'anti-affinity');
    const path = await create({ stack_name: 'full', template, files });
    expect((await client.settled(path))['stack_status']).toBe('CREATE_COMPLETE');
    const row = (await rows(path)).find(({ resource_name: name }) => name === 'VDU1');
    const own = String(row?.['physical_resource_id']);
    const mark = { mark_unhealthy: true, resource_status_reason: 'test' };
    const update = async () => {
      await client.heat('PATCH', path, {});
      return client.settled(path);
    };
    const self = listAt(row, 'links')
      .filter(isObject)
      .find(({ rel }) => rel === 'self');
    await client.call('PATCH', String(self?.['href']), mark);
    const admin = await login(cloud, 'admin');
    const allow = (instances: number) =>
      admin.call('PUT', `/compute/v2.1/os-quota-sets/${client.projectId}`, { quota_set: { instances } });
    await allow(3);
    expect((await update())['stack_status_reason']).toMatch(
      /Forbidden: .*Quota exceeded for instances: Requested 1, but already used 3 of 3 instances \(HTTP 403\)/,
    );
    await allow(-1);
    expect((await update())['stack_status_reason']).toContain('There are not enough hosts available.');

    await client.call('DELETE', `/compute/v2.1/servers/${own}`);
    await expect.poll(async () => (await client.call('GET', `/compute/v2.1/servers/${own}`)).status).toBe(404);
    expect((await update())['stack_status']).toBe('UPDATE_COMPLETE');
    expect(Object.keys(cloud.cloud.state.servers)).toHaveLength(3);
  });

  it('ends CREATE_FAILED with the path to the failed resource; deleting leaves nothing', async () => {
    await start();
    const before = cloud.fingerprint();
    cloud.faults.add({
      service: 'heat',
      resourceNameContains: 'VDU2',
      times: 1,
      effect: { resourceFails: 'out of luck' },
    });
    const path = await create(topStack('broken'));
    const stack = await client.settled(path);
    expect(stack['stack_status']).toBe('CREATE_FAILED');
    expect(stack['stack_status_reason']).toMatch(
      /^Resource CREATE failed: ResourceInError: resources\.VDU2\w*: out of luck$/,
    );
    const failures = await client.heat(
      'GET',
      `${path}/events?resource_status=FAILED&resource_action=CREATE&sort_dir=desc&limit=1`,
    );
    expect(listAt(failures.body, 'events')).toHaveLength(1);
    await client.heat('DELETE', path);
    expect((await client.settled(path))['stack_status']).toBe('DELETE_COMPLETE');
    expect(cloud.fingerprint()).toEqual(before);
  });

  it('rolls back if the request says so: the stack stays, its resources are gone', async () => {
    await start();
    const before = cloud.fingerprint();
    cloud.faults.add({ service: 'heat', resourceNameContains: 'VDU1_CP1', effect: { resourceFails: 'no' } });
    const path = await create(topStack('undone', 2, { disable_rollback: false }));
    const stack = await client.settled(path);
    expect(stack['stack_status']).toBe('ROLLBACK_COMPLETE');
    expect(stack['stack_status_reason']).toBe('Stack ROLLBACK completed successfully');
    expect(cloud.fingerprint().content['servers']).toEqual(before.content['servers']);
    expect(cloud.fingerprint().content['ports']).toEqual(before.content['ports']);
  });

  it('times out after timeout_mins; an empty PATCH repairs a stuck stack', async () => {
    await start();
    cloud.faults.add({ service: 'heat', resourceNameContains: 'VDU2_CP1', times: 1, effect: { stuck: true } });
    const path = await create(topStack('stuck', 1, { timeout_mins: 1 }));
    const stack = await client.settled(path);
    expect([stack['stack_status'], stack['stack_status_reason']]).toEqual(['CREATE_FAILED', 'Timed out']);
    await client.heat('PATCH', path, {});
    expect((await client.settled(path))['stack_status']).toBe('UPDATE_COMPLETE');
    expect((await rows(path)).filter((row) => !/_COMPLETE$/.test(String(row['resource_status'])))).toEqual([]);
  });
});

describe('updating', () => {
  it('lets a PATCH supersede a create in progress', async () => {
    await start({ speed: 50 });
    const path = await create(topStack('twice', 1));
    expect((await client.heat('PATCH', path, { parameters: nfv(3) })).status).toBe(202);
    expect((await client.settled(path))['stack_status']).toBe('UPDATE_COMPLETE');
    expect(cloud.nodes.running.size).toBe(4);
    expect(Object.keys(cloud.cloud.state.servers)).toHaveLength(4);
  });

  it('replaces only the marked server; its port, address and floating IP stay', async () => {
    await start();
    const path = await create(topStack('heal'));
    await client.settled(path);
    const before = new Map(
      (await rows(path)).map((row) => [
        `${row['parent_resource']}/${row['resource_name']}`,
        row['physical_resource_id'],
      ]),
    );
    const floating = Object.values(cloud.cloud.state.floatingIps)[0];
    expect((await client.heat('PATCH', `${path}/resources/VDU2`, { mark_unhealthy: true })).status).toBe(200);
    await client.heat('PATCH', path, {});
    await client.settled(path);
    const after = new Map(
      (await rows(path)).map((row) => [
        `${row['parent_resource']}/${row['resource_name']}`,
        row['physical_resource_id'],
      ]),
    );
    const changed = [...after].filter(([name, id]) => before.get(name) !== id).map(([name]) => name);
    expect(changed).toEqual(['undefined/VDU2']);
    expect(cloud.nodes.running.has(String(before.get('undefined/VDU2')))).toBe(false);
    const healed = String(after.get('undefined/VDU2'));
    expect(cloud.nodes.running.get(healed)?.machine.ports[0]?.address).toBe(floating?.fixedAddress);
    expect(cloud.cloud.network.machineAt(floating?.address ?? '')).toBe(healed);
  });

  it('removes an indexed server that left the template and touches no other', async () => {
    await start();
    const path = await create({ stack_name: 'indexed', template: indexed(3), files });
    await client.settled(path);
    const before = new Set(cloud.nodes.running.keys());
    await client.heat('PATCH', path, { template: indexed(2) });
    expect((await client.settled(path))['stack_status']).toBe('UPDATE_COMPLETE');
    const left = [...cloud.nodes.running.keys()];
    expect(left).toHaveLength(2);
    expect(left.every((id) => before.has(id))).toBe(true);
    expect(
      Object.values(cloud.cloud.state.ports).filter(({ deviceOwner }) => deviceOwner === 'compute:nova'),
    ).toHaveLength(2);
  });

  it('drops the oldest member of a scale group, but a marked one first', async () => {
    await start();
    const path = await create(topStack('group', 1));
    await client.settled(path);
    const members = async () =>
      (await rows(path))
        .filter((row) => row['resource_type'] === 'VDU1.yaml')
        .map((row) => String(row['resource_name']));
    const [oldest = ''] = await members();
    await new Promise((resolve) => setTimeout(resolve, 1100)); // Heat prints whole seconds
    await client.heat('PATCH', path, { parameters: nfv(3) });
    await client.settled(path);
    const [, second = '', third = ''] = await members();
    const group = (await rows(path)).find((row) => row['resource_name'] === 'VDU1_scale_group');
    await client.heat('PATCH', `${nestedPath(group)}/resources/${third}`, { mark_unhealthy: true });
    await client.heat('PATCH', path, { parameters: nfv(2) });
    await client.settled(path);
    expect(await members()).toEqual([oldest, second]);
    await client.heat('PATCH', path, { parameters: nfv(1) });
    await client.settled(path);
    expect(await members()).toEqual([second]);
  });

  it('changes allowed address pairs of a port in place', async () => {
    await start();
    const template = (pairs: string) => `heat_template_version: 2018-08-31
resources:
  vip: {type: OS::Neutron::Port, properties: {network: net0}}
  cp:
    type: OS::Neutron::Port
    properties: {network: net0, allowed_address_pairs: ${pairs}}`;
    const path = await create({ stack_name: 'pairs', template: template('[]') });
    await client.settled(path);
    const before = (await rows(path)).find((row) => row['resource_name'] === 'cp')?.['physical_resource_id'];
    await client.heat('PATCH', path, {
      template: template('[{ip_address: {get_attr: [vip, fixed_ips, 0, ip_address]}}]'),
    });
    await client.settled(path);
    const port = (await rows(path)).find((row) => row['resource_name'] === 'cp')?.['physical_resource_id'];
    expect(port).toBe(before);
    expect(cloud.cloud.state.ports[String(port)]?.allowedAddressPairs).toHaveLength(1);
  });

  it('refuses to mark a resource while the stack works', async () => {
    await start({ speed: 20 });
    const path = await create(topStack('busy'));
    const reply = await client.heat('PATCH', `${path}/resources/VDU2`, { mark_unhealthy: true });
    expect([reply.status, objectAt(reply.body, 'error')['type']]).toEqual([409, 'ActionInProgress']);
  });
});
