import { afterEach, expect, it } from 'vitest';
import type { Simulator, SimulatorOptions } from '../composition.ts';
import { isObject, type JsonObject, listAt, objectAt } from '../world/cloud/json.ts';
import { type Client, login, request, startCloud, type TestMachines, VDU1 } from './testing/cloud.ts';

let cloud: Simulator<TestMachines>;
let client: Client;
afterEach(() => cloud.stop());

const policy = (adjustment: number, more = '') => `
    type: OS::Heat::ScalingPolicy
    properties: {scaling_adjustment: ${adjustment}, auto_scaling_group_id: {get_resource: worker_instance}, adjustment_type: change_in_capacity${more}}`;

/** A group as packages for version 1 of Tacker have it. */
const template = (sizes = 'min_size: 2, max_size: 4, desired_capacity: 2') => `heat_template_version: 2013-05-23
parameters: {unused: {type: string, default: x}}
resources:
  worker_instance:
    type: OS::Heat::AutoScalingGroup
    properties: {${sizes}, resource: {type: VDU1.yaml, properties: {flavor: m1.tiny, image: workerNode-image, net: net0, group: {get_resource: servers}}}}
  servers: {type: "OS::Nova::ServerGroup", properties: {policies: [soft-anti-affinity]}}
  worker_instance_scale_out: ${policy(1)}
  worker_instance_scale_in: ${policy(-1)}
  slow_scale_out: ${policy(1, ', cooldown: 100000')}
outputs:
  size: {value: {get_attr: [worker_instance, current_size]}}
  alarm: {value: {get_attr: [worker_instance_scale_out, alarm_url]}}`;

async function start(options: SimulatorOptions = {}, text = template()): Promise<string> {
  cloud = await startCloud(options);
  client = await login(cloud);
  const body = { stack_name: 'group', template: text, files: { 'VDU1.yaml': VDU1 } };
  const created = await client.heat('POST', '/stacks', body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const path = `/stacks/group/${objectAt(created.body, 'stack')['id']}`;
  expect((await client.settled(path))['stack_status']).toBe('CREATE_COMPLETE');
  return path;
}

async function rows(path: string): Promise<JsonObject[]> {
  return listAt((await client.heat('GET', `${path}/resources?nested_depth=2`)).body, 'resources').filter(isObject);
}

/** Members of the group, the oldest first. */
async function members(path: string): Promise<string[]> {
  const found = (await rows(path)).filter(({ parent_resource: parent }) => parent === 'worker_instance');
  return found
    .sort((a, b) =>
      `${a['creation_time']}${a['resource_name']}` < `${b['creation_time']}${b['resource_name']}` ? -1 : 1,
    )
    .map((row) => String(row['resource_name']));
}

async function groupRests(path: string): Promise<void> {
  const { links } = (await rows(path)).find(({ resource_name: name }) => name === 'worker_instance') ?? {};
  const nested = listAt({ links } as JsonObject, 'links')
    .filter(isObject)
    .find(({ rel }) => rel === 'nested');
  await client.settled(String(nested?.['href']).split(client.projectId)[1] ?? '');
}

const signal = (path: string, name: string) => client.heat('POST', `${path}/resources/${name}/signal`);

async function scaled(path: string, direction: 'out' | 'in'): Promise<string[]> {
  expect(await signal(path, `worker_instance_scale_${direction}`)).toMatchObject({ status: 200, body: null });
  await groupRests(path);
  return members(path);
}

it('a signal adds a member, or removes the oldest; the others, and the status of the parent, stay', async () => {
  const path = await start();
  const before = await members(path);
  await new Promise((resolve) => setTimeout(resolve, 1100)); // ages are whole seconds
  const more = await scaled(path, 'out');
  expect(more).toHaveLength(3);
  expect(more).toEqual(expect.arrayContaining(before));
  expect(await scaled(path, 'in')).toEqual(more.slice(1));
  const stack = objectAt((await client.heat('GET', path)).body, 'stack');
  expect(stack['stack_status']).toBe('CREATE_COMPLETE');
  const events = listAt((await client.heat('GET', `${path}/events`)).body, 'events').filter(isObject);
  expect(events.filter(({ resource_status: status }) => status === 'SIGNAL_COMPLETE')).toHaveLength(2);
});

it('an update of the parent sets the group to desired_capacity again, whatever signals did', async () => {
  const path = await start();
  const [oldest, ...others] = await scaled(path, 'out');
  await client.heat('PATCH', path, {});
  await client.settled(path);
  expect(await members(path)).toEqual(others);
  expect(others).not.toContain(oldest);
  await client.heat('PATCH', path, { template: template('min_size: 2, max_size: 4, desired_capacity: 4') });
  await client.settled(path);
  expect(await members(path)).toHaveLength(4);
  await client.heat('PATCH', path, { template: template('min_size: 2, max_size: 4') });
  await client.settled(path);
  expect(await members(path)).toHaveLength(4);
});

it('a signal does nothing at the bounds of the group, and during the cooldown', async () => {
  const path = await start();
  expect(await scaled(path, 'in')).toHaveLength(2);
  await signal(path, 'slow_scale_out');
  await groupRests(path);
  expect(await members(path)).toHaveLength(3);
  expect(await scaled(path, 'out')).toHaveLength(3);
});

it('alarm_url needs no token, but the signature of the policy', async () => {
  const path = await start();
  const outputs = listAt(objectAt((await client.heat('GET', path)).body, 'stack'), 'outputs').filter(isObject);
  const url = String(outputs.find(({ output_key: key }) => key === 'alarm')?.['output_value']);
  expect((await request(url.replace(/Signature=.*/, 'Signature=no'), 'POST', {})).status).toBe(403);
  expect((await request(url, 'POST', {})).status).toBe(200);
  await groupRests(path);
  expect(await members(path)).toHaveLength(3);
});

it('refuses a signal to anything but a policy, and one to nothing', async () => {
  const path = await start();
  const refused = async (name: string) => {
    const { status, body } = await signal(path, name);
    return [status, objectAt(body, 'error')['type']];
  };
  expect(await refused('servers')).toEqual([400, 'ResourceActionNotSupported']);
  expect(await refused('nobody')).toEqual([404, 'ResourceNotFound']);
});

it('refuses sizes that contradict each other, a missing nested file, and a policy without a group', async () => {
  cloud = await startCloud();
  client = await login(cloud);
  const refusal = async (text: string, files: JsonObject = { 'VDU1.yaml': VDU1 }) => {
    const { status, body } = await client.heat('POST', '/stacks', { stack_name: 'bad', template: text, files });
    return [status, objectAt(body, 'error')['message']];
  };
  expect(await refusal(template('min_size: 2, max_size: 4, desired_capacity: 5'))).toEqual([
    400,
    'DesiredCapacity must be between MinSize and MaxSize',
  ]);
  expect(await refusal(template('min_size: 4, max_size: 2'))).toEqual([400, 'MinSize can not be greater than MaxSize']);
  expect(await refusal(template(), {})).toEqual([
    400,
    expect.stringContaining('Could not fetch remote template "VDU1.yaml": Invalid URL scheme'),
  ]);
  const orphan = template().replace('auto_scaling_group_id: {get_resource: worker_instance}, ', '');
  expect(await refusal(orphan)).toEqual([400, expect.stringContaining('Property auto_scaling_group_id not assigned')]);
});

it('a deletion ends what a signal began', async () => {
  const path = await start();
  const before = Object.keys(cloud.cloud.state.servers).length;
  await signal(path, 'worker_instance_scale_out');
  await client.heat('DELETE', path);
  expect((await client.settled(path))['stack_status']).toBe('DELETE_COMPLETE');
  expect([before, Object.keys(cloud.cloud.state.servers)]).toEqual([2, []]);
});

it('refuses host bits in the CIDR of a subnet in the words of Neutron', async () => {
  cloud = await startCloud();
  client = await login(cloud);
  const net = await client.call('POST', '/networking/v2.0/networks', { network: { name: 'n' } });
  const subnet = { network_id: String(objectAt(net.body, 'network')['id']), ip_version: 4, cidr: '192.168.3.0/16' };
  const { status, body } = await client.call('POST', '/networking/v2.0/subnets', { subnet });
  expect([status, objectAt(body, 'NeutronError')['message']]).toEqual([
    400,
    "Invalid input for cidr. Reason: '192.168.3.0/16' isn't a recognized IP subnet cidr, '192.168.0.0/16' is recommended.",
  ]);
});
