import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../composition.ts';
import { isObject, type Json, type JsonObject, listAt, objectAt } from '../world/cloud/json.ts';
import { type Client, login, type Reply, request, startCloud, type TestMachines } from './testing/cloud.ts';

const RECORDED = path.join(import.meta.dirname, '../../test/recorded/openstack');
const SPEED = 200;

interface Exchange {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly body: Json;
    readonly headers?: Record<string, string>;
  };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: Json };
}

function recorded(name: string): Exchange {
  return JSON.parse(readFileSync(path.join(RECORDED, `${name}.json`), 'utf8')) as Exchange;
}

const MOUNTS: readonly (readonly [RegExp, string])[] = [
  [/^http:\/\/127\.0\.0\.1:5000/, '/identity'],
  [/^http:\/\/127\.0\.0\.1:8004/, '/heat-api'],
  [/^http:\/\/127\.0\.0\.1:8774/, '/compute'],
  [/^http:\/\/127\.0\.0\.1:9696/, '/networking'],
  [/^http:\/\/127\.0\.0\.1:9292/, '/image'],
];

/** Headers that clients rely on. */
const HEADERS = ['location', 'www-authenticate', 'x-subject-token', 'vary', 'openstack-api-version'];

/** Reduces a value to keys and types. A list becomes the set of the shapes of its items. */
function shape(value: Json): Json {
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shape(item))))].sort();
  if (isObject(value)) {
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, shape(value[key] ?? null)]),
    );
  }
  return value === null ? 'null' : typeof value;
}

describe('the cloud answers as real OpenStack did', () => {
  let cloud: Simulator<TestMachines>;
  let admin: Client;
  let member: Client;
  /** Maps recorded ids to the simulator's ids. */
  const ids = new Map<string, string>([['f67a9dea29c1457990b621766418b6b8', '']]);

  beforeAll(async () => {
    cloud = await startCloud({ speed: SPEED });
    [admin, member] = [await login(cloud, 'admin'), await login(cloud, 'nfv_member')];
    ids.set('f67a9dea29c1457990b621766418b6b8', admin.projectId);
    const image = await admin.call('POST', '/image/v2/images', { name: 'ubuntu', visibility: 'public' });
    await fetch(`${cloud.url}/image/v2/images/${objectAt({ image: image.body }, 'image')['id']}/file`, {
      method: 'PUT',
      headers: { 'X-Auth-Token': admin.token, 'Content-Type': 'application/octet-stream' },
      body: 'x'.repeat(4096),
    });
  });
  afterAll(() => cloud.stop());

  /** Sends a recorded request with the simulator's ids. */
  async function replay(name: string, as: Client | null = admin, headers: Record<string, string> = {}): Promise<Reply> {
    const { request: sent } = recorded(name);
    const [pattern, mount] = MOUNTS.find(([port]) => port.test(sent.url)) ?? [/^/, ''];
    let target = sent.url.replace(pattern, mount);
    let body = JSON.stringify(sent.body);
    for (const [theirs, ours] of ids) {
      target = target.replaceAll(theirs, ours);
      body = body.replaceAll(theirs, ours);
    }
    const microversion = sent.headers?.['OpenStack-API-Version'];
    const all = { ...headers, ...(microversion === undefined ? {} : { 'OpenStack-API-Version': microversion }) };
    const given = JSON.parse(body) as Json;
    const payload = given === null ? undefined : given;
    if (as) return as.call(sent.method, target, payload, all);
    return request(`${cloud.url}${target}`, sent.method, { body: payload, headers: all });
  }

  function expectShape(name: string, reply: Reply): void {
    const { response } = recorded(name);
    expect(reply.status, name).toBe(response.status);
    const names = new Set(Object.keys(response.headers).map((header) => header.toLowerCase()));
    for (const header of HEADERS)
      expect(reply.headers.has(header), `${name}: header ${header}`).toBe(names.has(header));
    expect(shape(reply.body), name).toEqual(shape(response.body));
  }

  function expectSame(name: string, reply: Reply): void {
    expectShape(name, reply);
    expect(reply.body, name).toEqual(recorded(name).response.body);
  }

  const check = async (name: string, as?: Client) => expectShape(name, await replay(name, as));
  const same = async (name: string, as?: Client) => expectSame(name, await replay(name, as));

  async function settle(name: string): Promise<JsonObject> {
    const target = recorded(name).request.url.split('f67a9dea29c1457990b621766418b6b8')[1] ?? '';
    let ours = target.split('?')[0] ?? '';
    for (const [theirs, mine] of ids) ours = ours.replaceAll(theirs, mine);
    return admin.settled(ours);
  }

  it('Keystone: tokens, refusals, validation, revocation', async () => {
    const issued = await replay('keystone-wrong-password-401', null);
    expectSame('keystone-wrong-password-401', issued);
    expectSame('keystone-no-such-project-401', await replay('keystone-no-such-project-401', null));
    expect((await replay('keystone-bad-body-400', null)).status).toBe(400);
    const token = await replay('keystone-token-201', null);
    const described = objectAt(token.body, 'token');
    const theirs = objectAt(recorded('keystone-token-201').response.body, 'token');
    expect(token.status).toBe(201);
    expect(shape({ ...described, audit_ids: [] })).toEqual(shape({ ...theirs, audit_ids: [] }));
    const secret = token.headers.get('x-subject-token') ?? '';
    const subject = { 'X-Subject-Token': secret };
    expectShape('keystone-validate-200', await replay('keystone-validate-200', admin, subject));
    expectSame(
      'keystone-validate-404',
      await replay('keystone-validate-404', admin, { 'X-Subject-Token': 'nonsense' }),
    );
    expectShape('keystone-revoke-204', await replay('keystone-revoke-204', admin, subject));
    expectSame('heat-revoked-token-401', await replay('heat-revoked-token-401', null, { 'X-Auth-Token': secret }));
  });

  it.each(['heat-no-token-401', 'nova-no-token-401', 'neutron-no-token-401', 'glance-no-token-401'])(
    'no token: %s',
    async (name) => {
      expectSame(name, await replay(name, null));
    },
  );

  it('Glance: create, upload once, show, list, delete', async () => {
    const created = await replay('glance-create-201');
    expectShape('glance-create-201', created);
    ids.set('35878752-a856-475e-8e1f-e01097f7c72f', String(objectAt({ it: created.body }, 'it')['id']));
    const upload = async (name: string) => {
      const target = `${cloud.url}/image/v2/images/${ids.get('35878752-a856-475e-8e1f-e01097f7c72f')}/file`;
      const response = await fetch(target, {
        method: 'PUT',
        body: 'y'.repeat(4096),
        headers: { 'X-Auth-Token': admin.token },
      });
      const text = await response.text();
      expectShape(name, {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : (JSON.parse(text) as Json),
      });
    };
    await upload('glance-upload-204');
    await upload('glance-upload-again-409');
    await check('glance-show-200');
    await check('glance-list-200');
    await check('glance-delete-204');
    await same('glance-404');
  });

  it.each([
    ...[
      'heat-create-400-bad-image',
      'heat-create-400-bad-name',
      'heat-create-400-bad-network',
      'heat-create-400-bad-property',
    ],
    ...[
      'heat-create-400-bad-reference',
      'heat-create-400-bad-section',
      'heat-create-400-bad-type',
      'heat-create-400-bad-version',
    ],
    ...['heat-create-400-missing-file', 'heat-create-400-missing-parameter', 'heat-create-400-missing-property'],
    ...['heat-create-500-circular', 'heat-create-500-circular-depends', 'heat-list-empty-200', 'heat-show-404'],
    ...['heat-show-by-id-404', 'heat-delete-while-missing-404', 'nova-404', 'neutron-404'],
  ])('refused in the same words: %s', (name) => same(name));

  it('Heat: YAML that is none, a body that is too large, another project', async () => {
    await check('heat-create-400-bad-yaml');
    await same('heat-wrong-project-403', member);
    const template = `heat_template_version: 2018-08-31\n${'#'.repeat(1_100_000)}`;
    const large = await admin.heat('POST', '/stacks', { stack_name: 'large', template });
    expectShape('heat-create-400-too-large', large);
  });

  it('Heat: an unknown function is kept as it is', async () => {
    const reply = await replay('heat-create-201-bad-function');
    expectShape('heat-create-201-bad-function', reply);
    const id = String(objectAt(reply.body, 'stack')['id']);
    ids.set('9c0a9759-1e45-4685-b78e-d9c1055322fc', id);
    await settle('heat-show-bad-function');
    await check('heat-show-bad-function');
    await admin.heat('DELETE', `/stacks/rec-17993/${id}`);
    await admin.settled(`/stacks/rec-17993/${id}`);
  });

  /** Removes from a row what differs between runs. */
  const rows = (body: Json) =>
    listAt(body, 'resources')
      .filter(isObject)
      .map((row) => [
        ...[row['resource_name'], row['resource_status'], row['resource_type'], row['resource_status_reason']],
        ...[listAt(row, 'required_by').sort(), row['parent_resource'] ?? null, Object.keys(row).sort()],
        listAt(row, 'links').map((link) => (isObject(link) ? (link['rel'] ?? null) : null)),
      ])
      .map((row) => JSON.stringify(row))
      .sort();

  it('Heat: the whole life of a stack with a scale group', async () => {
    // The time stands still until the test has seen the stack in CREATE_IN_PROGRESS.
    cloud.clock.setSpeed(0);
    const created = await replay('heat-create-201');
    expectShape('heat-create-201', created);
    ids.set('8fe6139f-c5fb-48a6-a2f4-73ca267d0656', String(objectAt(created.body, 'stack')['id']));
    await check('heat-show-create-in-progress');
    const early = await replay('heat-resources-create-in-progress');
    const keys = (body: Json) =>
      [
        ...new Set(
          listAt(body, 'resources').map((row) =>
            Object.keys(isObject(row) ? row : {})
              .sort()
              .join(),
          ),
        ),
      ].sort();
    expect(keys(recorded('heat-resources-create-in-progress').response.body)).toEqual(
      expect.arrayContaining(keys(early.body)),
    );
    await same('heat-create-409-duplicate');
    cloud.clock.setSpeed(SPEED);
    await settle('heat-show-create-complete');
    for (const name of [
      'heat-show-create-complete',
      'heat-list-200',
      'heat-resources-depth0',
      'heat-resource-show-asg',
    ])
      await check(name);
    await check('heat-show-as-member', member);
    for (const name of ['heat-template', 'heat-files', 'heat-environment', 'heat-outputs']) await same(name);
    expect((await replay('heat-show-by-name-302')).status).toBe(302);
    await check('heat-show-by-name-302');
    for (const name of ['heat-resource-404', 'heat-mark-400', 'heat-mark-404', 'heat-put-400-missing-file'])
      await same(name);
    for (const name of ['heat-put-400-missing-parameter', 'heat-put-400-no-template', 'heat-put-400-unknown-parameter'])
      await same(name);
    await same('heat-patch-400-partial-json-parameter');
  });

  it('Heat: nested stacks, their members and what they hold', async () => {
    const all = await replay('heat-resources-depth2');
    const found = listAt(all.body, 'resources').filter(isObject);
    const group = found.find((row) => row['resource_type'] === 'OS::Heat::AutoScalingGroup');
    const members = found.filter((row) => row['resource_type'] === 'VDU1.yaml');
    const theirs = listAt(recorded('heat-resources-depth2').response.body, 'resources').filter(isObject);
    ids.set('dff63bfd-79b9-47a6-a1bd-8e3054381a4f', String(group?.['physical_resource_id']));
    const nested = (row: JsonObject | undefined) =>
      String(
        listAt(row, 'links')
          .filter(isObject)
          .find(({ rel }) => rel === 'nested')?.['href'],
      );
    const groupName = nested(group).split('/').at(-2) ?? '';
    ids.set(
      'rec-17993-VDU1_scale_group-twajiafe3d4y-2vkaalxo7zjz-wpee72ttlezf',
      nested(members[1]).split('/').at(-2) ?? '',
    );
    ids.set(
      'rec-17993-VDU1_scale_group-twajiafe3d4y-4v4pkucjmctd-k43xepvgobfg',
      nested(members[0]).split('/').at(-2) ?? '',
    );
    ids.set('rec-17993-VDU1_scale_group-twajiafe3d4y', groupName);
    ids.set('4v4pkucjmctd', String(members[0]?.['resource_name']));
    ids.set('2vkaalxo7zjz', String(members[1]?.['resource_name']));
    ids.set('37568ace-868f-429a-a387-28de535cd556', String(members[1]?.['physical_resource_id']));
    const server = found.find(
      (row) => row['resource_name'] === 'VDU1' && row['parent_resource'] === members[1]?.['resource_name'],
    );
    ids.set('07d75d4c-641a-4699-9d8a-da3149343432', String(server?.['physical_resource_id']));
    const named = (body: Json) => {
      let text = JSON.stringify(body);
      for (const [from, to] of ids) text = text.replaceAll(from, to);
      return JSON.parse(text) as Json;
    };
    expect(rows(all.body)).toEqual(rows(named(recorded('heat-resources-depth2').response.body)));
    expect(found.length).toBe(theirs.length);
    for (const name of ['heat-nested-show', 'heat-list-show-nested-200', 'heat-events']) await check(name);
  });

  it('Nova and Neutron show the stack to an admin and to a member', async () => {
    for (const name of [
      'nova-server-admin',
      'nova-server-microversion-2.90',
      'nova-interfaces',
      'nova-server-groups',
      'nova-console',
      'nova-flavors',
    ]) {
      // The recording cuts Heat's user data off, and this server has none.
      const reply = await replay(name);
      const server = objectAt(reply.body, 'server');
      if ('OS-EXT-SRV-ATTR:user_data' in server) server['OS-EXT-SRV-ATTR:user_data'] ??= '';
      expectShape(name, reply);
    }
    await check('nova-server-member', member);
    for (const name of ['neutron-port', 'neutron-floatingips', 'neutron-networks']) await check(name);
  });

  it('Heat: a marked server is replaced, all else stays', async () => {
    await same('heat-mark-200');
    const marked = await replay('heat-resource-marked');
    const body = objectAt(marked.body, 'resource');
    objectAt(body, 'attributes')['OS-EXT-SRV-ATTR:user_data'] ??= '';
    expectShape('heat-resource-marked', marked);
    expect(body['resource_status_reason']).toBe('marked by tacker');
    const before = listAt((await replay('heat-resources-marked')).body, 'resources').filter(isObject);
    expectShape('heat-heal-patch-202', await replay('heat-heal-patch-202'));
    await settle('heat-show-update-complete');
    await check('heat-show-update-complete');
    const after = listAt((await replay('heat-resources-healed')).body, 'resources').filter(isObject);
    const things = (list: JsonObject[]) =>
      list
        .map((row) => `${row['resource_name']} ${row['parent_resource'] ?? ''} ${row['physical_resource_id']}`)
        .sort();
    const gone = things(before).filter((thing) => !things(after).includes(thing));
    expect(gone).toEqual([`VDU1 ${ids.get('2vkaalxo7zjz')} ${ids.get('07d75d4c-641a-4699-9d8a-da3149343432')}`]);
    expect(things(after)).toHaveLength(things(before).length);
  });

  it('Heat: scale out, then in: the marked member goes', async () => {
    for (const name of [
      'heat-scale-out-202',
      'heat-mark-member-200',
      'heat-scale-in-202',
      'heat-patch-202',
      'heat-patch-template-only-202',
      'heat-patch-unknown-key',
    ]) {
      await check(name);
      if (name !== 'heat-mark-member-200') await settle('heat-show-update-complete');
    }
    const left = await replay('heat-resources-depth2');
    const members = listAt(left.body, 'resources')
      .filter(isObject)
      .filter((row) => row['resource_type'] === 'VDU1.yaml');
    expect(members).toHaveLength(2);
    expect(members.map((row) => row['resource_name'])).not.toContain(ids.get('4v4pkucjmctd'));
  });

  it('Heat: an update that fails, its repair, and the end', async () => {
    await check('heat-put-will-fail-202');
    await settle('heat-show-update-failed');
    const failed = await replay('heat-show-update-failed');
    expectShape('heat-show-update-failed', failed);
    const reason = objectAt(recorded('heat-show-update-failed').response.body, 'stack')['stack_status_reason'];
    expect(objectAt(failed.body, 'stack')['stack_status_reason']).toBe(reason);
    await check('heat-events-update-failed');
    await check('heat-put-existing-true');
    await settle('heat-show-update-complete');
    await check('heat-scale-out-202');
    await check('heat-cancel-update');
    expect((await settle('heat-show-update-complete'))['stack_status']).toBe('ROLLBACK_COMPLETE');
    await same('heat-cancel-not-in-progress');
    // The time stands still until the test has seen the stack in DELETE_IN_PROGRESS.
    cloud.clock.setSpeed(0);
    await check('heat-delete-204');
    await check('heat-show-delete-in-progress');
    await same('heat-patch-400-deleting');
    await same('heat-create-409-deleting');
    cloud.clock.setSpeed(SPEED);
    await settle('heat-show-deleted-by-id');
    await check('heat-show-deleted-by-id');
    for (const name of [
      'heat-show-deleted-by-name-404',
      'heat-delete-again-404',
      'heat-patch-deleted-404',
      'heat-resources-deleted',
    ])
      await same(name);
  });

  it('Heat: indexed servers, rollback of an update, cancel', async () => {
    const created = await replay('heat-indexed-create-201');
    expectShape('heat-indexed-create-201', created);
    ids.set('76acf7dc-ebbe-4f86-8ace-2f59439163ae', String(objectAt(created.body, 'stack')['id']));
    await settle('heat-show-rollback-complete');
    const listed = await replay('heat-indexed-resources-depth2');
    expect(rows(listed.body)).toEqual(rows(recorded('heat-indexed-resources-depth2').response.body));
    await check('heat-indexed-remove-one-202');
    await settle('heat-show-rollback-complete');
    await check('heat-update-rollback-202');
    expect((await settle('heat-show-rollback-complete'))['stack_status']).toBe('ROLLBACK_COMPLETE');
    await check('heat-show-rollback-complete');
  });

  it('Heat: a network in use keeps its stack from going, with Neutron’s words', async () => {
    const template = `heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.99.0.0/24}}`;
    const created = await admin.heat('POST', '/stacks', { stack_name: 'rec-17993-df', template, timeout_mins: 20 });
    ids.set('e706601b-26f1-40ea-9ca1-2d4ecee471f1', String(objectAt(created.body, 'stack')['id']));
    await settle('heat-show-delete-failed');
    const net = listAt((await replay('heat-resources-delete-failed')).body, 'resources')
      .filter(isObject)
      .find((row) => row['resource_name'] === 'net');
    ids.set('fc930a42-d6d2-43bc-8058-5d40d3a18269', String(net?.['physical_resource_id']));
    const port = await replay('neutron-port-create-201');
    expectShape('neutron-port-create-201', port);
    await check('neutron-delete-409-in-use');
    await check('heat-delete-after-failure-204');
    expect((await settle('heat-show-delete-failed'))['stack_status']).toBe('DELETE_FAILED');
    await check('heat-show-delete-failed');
    await same('heat-patch-400-delete-failed');
    const failed = await replay('heat-resources-delete-failed');
    expect(shape(failed.body)).toEqual(shape(recorded('heat-resources-delete-failed').response.body));
    await admin.call('DELETE', `/networking/v2.0/ports/${objectAt(port.body, 'port')['id']}`);
    await check('heat-delete-after-failure-204');
    expect((await settle('heat-show-delete-failed'))['stack_status']).toBe('DELETE_COMPLETE');
  });
});
