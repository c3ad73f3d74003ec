import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHostRules } from '../network/host-rules.ts';
import { findImage } from '../openstack/glance.ts';
import {
  createStack,
  deleteStack,
  findStack,
  listResources,
  markUnhealthy,
  nestedStackOf,
  type StackResource,
  stackFiles,
  stackOf,
  updateStack,
} from '../openstack/heat.ts';
import { validateToken } from '../openstack/keystone-token.ts';
import { listFloatingIps, listPorts } from '../openstack/neutron.ts';
import { listServers, showServer } from '../openstack/nova.ts';
import { type Credentials, checkConnection, createSession, type Session } from '../openstack/session.ts';
import { waitForStack } from '../openstack/stack-wait.ts';
import { login, startCloud } from '../simulator/index.ts';
import { problemOf } from './testing/problem-of.ts';

const FILES = {
  'VDU1.yaml': `heat_template_version: 2018-08-31
parameters:
  flavor: {type: string}
  net: {type: string}
resources:
  VDU1:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: ubuntu-22.04-server-cloudimg-amd64
      networks: [{port: {get_resource: VDU1_CP1}}]
  VDU1_CP1:
    type: OS::Neutron::Port
    properties: {network: {get_param: net}}
`,
};
const TEMPLATE = `heat_template_version: 2018-08-31
parameters:
  nfv: {type: json}
resources:
  VDU1-0:
    type: VDU1.yaml
    properties: {flavor: {get_param: [nfv, VDU, VDU1-0, flavor]}, net: net0}
  VDU1-1:
    type: VDU1.yaml
    properties: {flavor: {get_param: [nfv, VDU, VDU1-0, flavor]}, net: net0}
`;
const parameters = { nfv: { VDU: { 'VDU1-0': { flavor: 'm1.medium' } } } };
const fast = { deadlineMs: 15_000, pollMs: { min: 20, max: 100 } };

const hosts = createHostRules({ trusted: ['127.0.0.1'] });
let simulator: Awaited<ReturnType<typeof startCloud>>;
let credentials: Credentials;
let session: Session;

beforeAll(async () => {
  simulator = await startCloud();
  credentials = {
    authUrl: simulator.authUrl,
    username: 'nfv_user',
    password: 'devstack',
    project: 'nfv',
    userDomain: 'Default',
    projectDomain: 'Default',
    hosts,
  };
  session = createSession(credentials);
});
afterAll(() => simulator.stop());

function server(resources: readonly StackResource[], member: string): StackResource {
  const found = resources.find((each) => each.parent_resource === member && each.resource_type === 'OS::Nova::Server');
  if (!found) throw new Error(`no server in ${member}`);
  return found;
}

describe("the worker's OpenStack clients against the embedded cloud", () => {
  test('connect, refuse a wrong password, and find the owner of a token', async () => {
    expect((await checkConnection(credentials)).projectId).toBe(await session.projectId());
    expect((await problemOf(checkConnection({ ...credentials, password: 'wrong' }))).code).toBe('VIM_CREDENTIALS');
    const person = await login(simulator);
    const owner = await validateToken(simulator.authUrl, person.token, { hosts });
    expect([owner?.userName, owner?.projectName, owner?.roles]).toEqual([
      'nfv_user',
      'nfv',
      ['admin', 'member', 'reader', 'advsvc', 'heat_stack_owner'],
    ]);
    expect(await validateToken(simulator.authUrl, 'nonsense', { hosts })).toBeUndefined();
    expect((await findImage(session, 'ubuntu-22.04-server-cloudimg-amd64'))?.status).toBe('active');
  });

  test('create a stack, replace one server on its old port, and leave nothing behind', async () => {
    const stack = await createStack(session, 'vnf-clients', { template: TEMPLATE, files: FILES, parameters });
    expect((await findStack(session, 'vnf-clients'))?.id).toBe(stack.id);
    await waitForStack(session, stack, { goal: 'create', ...fast });
    expect(await stackFiles(session, stack)).toEqual(FILES);

    const before = await listResources(session, stack);
    const victim = server(before, 'VDU1-0');
    expect(before.map(nestedStackOf).filter(Boolean)).toHaveLength(2);
    const [port] = (await listPorts(session)).filter(({ device_id }) => device_id === victim.physical_resource_id);
    await markUnhealthy(session, stackOf(victim), { name: 'VDU1', reason: 'marked by vnflow' });
    await updateStack(session, stack);
    await waitForStack(session, stack, { goal: 'update', ...fast });

    const after = await listResources(session, stack);
    const healed = server(after, 'VDU1-0').physical_resource_id;
    expect(healed).not.toBe(victim.physical_resource_id);
    expect(server(after, 'VDU1-1').physical_resource_id).toBe(server(before, 'VDU1-1').physical_resource_id);
    expect((await listPorts(session, { ids: [port?.id ?? ''] }))[0]?.device_id).toBe(healed);
    expect((await showServer(session, healed))?.status).toBe('ACTIVE');
    expect(await showServer(session, victim.physical_resource_id)).toBeUndefined();

    await deleteStack(session, stack);
    await waitForStack(session, stack, { goal: 'delete', ...fast });
    expect(await findStack(session, 'vnf-clients')).toBeUndefined();
    expect(await listServers(session)).toEqual([]);
    expect(await listFloatingIps(session)).toEqual([]);
  });

  test("pass on Heat's own words about a template that it refuses", async () => {
    const input = { template: TEMPLATE, parameters };
    const problem = await problemOf(createStack(session, 'vnf-refused', input));
    expect([problem.code, problem.message.includes('VDU1.yaml')]).toEqual(['VIM_REJECTED', true]);
    expect(await findStack(session, 'vnf-refused')).toBeUndefined();
  });
});
