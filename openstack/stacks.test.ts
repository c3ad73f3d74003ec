import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type RecordedCloud,
  type Reply,
  recorded,
  startRecordedCloud,
} from '../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../test/testing/problem-of.ts';
import { findStack, listResources, nestedStackOf, showResource, stackFiles, stackOf, stackTemplate } from './heat.ts';
import { createSession, type Session } from './session.ts';
import { waitForStack } from './stack-wait.ts';

const stack = { name: 'rec-17993', id: '8fe6139f-c5fb-48a6-a2f4-73ca267d0656' };
const byName = '/v1/f67a9dea29c1457990b621766418b6b8/stacks/rec-17993';
const byId = `${byName}/${stack.id}`;
const fast = { deadlineMs: 5_000, pollMs: { min: 5, max: 10 } };

let cloud: RecordedCloud;
let session: Session;
beforeEach(async () => {
  cloud = await startRecordedCloud();
  session = createSession(cloud.credentials);
});
afterEach(() => cloud.stop());

/** The recorded stack with another status. */
function shown(status: string, reason = ''): Reply {
  const { body } = recorded('heat-show-create-complete');
  const { stack: seen } = z.object({ stack: z.record(z.string(), z.unknown()) }).parse(body);
  return { status: 200, body: { stack: { ...seen, stack_status: status, stack_status_reason: reason } } };
}

describe('a reader of stacks', () => {
  test('finds it by its name, and takes only the id from the redirect', async () => {
    const redirect = recorded('heat-show-by-name-302');
    cloud.on(`GET ${byName}`, {
      ...redirect,
      headers: { Location: `http://evil.invalid/v1/x/stacks/${stack.name}/${stack.id}` },
    });
    cloud.on(`GET ${byId}`, 'heat-show-create-complete');
    expect((await findStack(session, stack.name))?.stack_status).toBe('CREATE_COMPLETE');
    cloud.on(`GET ${byName}`, 'heat-show-deleted-by-name-404');
    expect(await findStack(session, stack.name)).toBeUndefined();
  });

  test('gives for a nested resource the stack that contains it and the stack that it stands for', async () => {
    cloud.on(`GET ${byId}/resources?nested_depth=2`, 'heat-resources-depth2');
    const resources = await listResources(session, stack);
    const group = resources.find(({ resource_name }) => resource_name === 'VDU1_scale_group');
    const member = resources.find(({ parent_resource }) => parent_resource === 'VDU1_scale_group');
    if (!group || !member) throw new Error('the sample lacks the group or its member');
    expect(stackOf(group)).toEqual(stack);
    expect(stackOf(member)).toEqual(nestedStackOf(group));
    expect(resources.filter(({ resource_type }) => resource_type === 'OS::Nova::Server')).toHaveLength(3);
  });

  test('shows one resource, the template and the files as Heat has them', async () => {
    cloud.on(`GET ${byId}/resources/VDU2`, 'heat-resource-show-server');
    cloud.on(`GET ${byId}/template`, 'heat-template');
    cloud.on(`GET ${byId}/files`, 'heat-files');
    expect((await showResource(session, stack, { name: 'VDU2' }))?.attributes?.['status']).toBe('ACTIVE');
    expect(Object.keys((await stackTemplate(session, stack))['resources'] ?? {})).toContain('VDU1_scale_group');
    expect(Object.keys(await stackFiles(session, stack))).toEqual(['VDU1.yaml']);
  });
});

describe('a wait for a stack', () => {
  test('ends when it is created, and reports each status', async () => {
    cloud.on(
      `GET ${byId}`,
      'heat-show-create-in-progress',
      'heat-show-create-in-progress',
      'heat-show-create-complete',
    );
    const statuses: string[] = [];
    const seen = await waitForStack(session, stack, {
      goal: 'create',
      ...fast,
      onPoll: (status) => statuses.push(status),
    });
    expect(seen?.stack_status).toBe('CREATE_COMPLETE');
    expect(statuses).toEqual(['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_COMPLETE']);
  });

  test('goes on when the VIM does not answer for a while', async () => {
    const broken = { status: 503, body: 'down' };
    cloud.on(
      `GET ${byId}`,
      broken,
      { status: 200, cut: true },
      shown('UPDATE_IN_PROGRESS'),
      broken,
      shown('UPDATE_COMPLETE'),
    );
    const statuses: string[] = [];
    await waitForStack(session, stack, { goal: 'update', ...fast, onPoll: (status) => statuses.push(status) });
    expect(statuses).toEqual([
      'VIM_UNREACHABLE',
      'VIM_UNREACHABLE',
      'UPDATE_IN_PROGRESS',
      'VIM_UNREACHABLE',
      'UPDATE_COMPLETE',
    ]);
  });

  test('reports the reason of a failed stack and of its deepest failed resource', async () => {
    cloud.on(`GET ${byId}`, shown('CREATE_FAILED', 'Resource CREATE failed: ResourceInError: resources.group'));
    cloud.on(`GET ${byId}/resources?nested_depth=5`, { status: 200, body: { resources: failedResources() } });
    const problem = await problemOf(waitForStack(session, stack, { goal: 'create', ...fast }));
    expect(problem.code).toBe('STACK_CREATE_FAILED');
    expect(problem.message).toBe(
      'Stack "rec-17993" could not be created (CREATE_FAILED): Resource CREATE failed: ResourceInError: resources.group; resource "VDU1": ResourceInError: No valid host was found',
    );
  });

  test('takes the cause from the events after a rollback', async () => {
    cloud.on(`GET ${byId}`, shown('ROLLBACK_COMPLETE', 'Stack ROLLBACK completed successfully'));
    cloud.on(`GET ${byId}/resources?nested_depth=5`, { status: 200, body: { resources: [] } });
    cloud.on(`GET ${byId}/events?sort_dir=desc&nested_depth=5&limit=100`, 'heat-events-update-failed');
    const problem = await problemOf(waitForStack(session, stack, { goal: 'update', ...fast }));
    expect(problem.code).toBe('STACK_UPDATE_FAILED');
    expect(problem.message).toContain('resource "bad": ValueError: resources.bad: Test Resource failed bad');
  });

  test('reports a failed stack even when the failed resource cannot be found out', async () => {
    cloud.on(`GET ${byId}`, 'heat-show-update-failed');
    cloud.on(`GET ${byId}/resources?nested_depth=5`, { status: 503, body: 'down' });
    const problem = await problemOf(waitForStack(session, stack, { goal: 'update', ...fast }));
    expect(problem.message).toContain('Resource CREATE failed: ValueError: resources.bad');
  });

  test('ends after a deletion only when the name is free', async () => {
    cloud.on(`GET ${byId}`, shown('DELETE_IN_PROGRESS'), 'heat-show-deleted-by-id');
    cloud.on(`GET ${byName}`, 'heat-show-by-name-302', 'heat-show-by-name-302', 'heat-show-deleted-by-name-404');
    expect(await waitForStack(session, stack, { goal: 'delete', ...fast })).toBeUndefined();
    expect(cloud.calls.filter((call) => call === `GET ${byName}`)).toHaveLength(3);
  });

  test('names the resource that makes a deletion fail', async () => {
    cloud.on(`GET ${byId}`, shown('DELETE_FAILED', 'Resource DELETE failed'));
    cloud.on(`GET ${byId}/resources?nested_depth=5`, 'heat-resources-delete-failed');
    const problem = await problemOf(waitForStack(session, stack, { goal: 'delete', ...fast }));
    expect(problem.code).toBe('STACK_DELETE_FAILED');
    expect(problem.message).toContain('resource "sub": Conflict');
  });

  test('reports a stack that hangs as stuck at the deadline, and reports an unreachable VIM when no poll had an answer', async () => {
    cloud.on(`GET ${byId}`, shown('CREATE_IN_PROGRESS'));
    const short = { deadlineMs: 400, pollMs: fast.pollMs };
    const stuck = await problemOf(waitForStack(session, stack, { goal: 'create', ...short }));
    expect([stuck.code, stuck.message.includes('still CREATE_IN_PROGRESS')]).toEqual(['STACK_STUCK', true]);
    cloud.on(`GET ${byId}`, { status: 503, body: 'down' });
    expect((await problemOf(waitForStack(session, stack, { goal: 'create', ...short }))).code).toBe('VIM_UNREACHABLE');
  });

  test('reports a stack that hangs as stuck even when the poll at the deadline has no answer', async () => {
    cloud.on(`GET ${byId}`, shown('CREATE_IN_PROGRESS'), { status: 503, body: 'down' });
    const short = { deadlineMs: 400, pollMs: fast.pollMs };
    const stuck = await problemOf(waitForStack(session, stack, { goal: 'create', ...short }));
    expect(stuck.code).toBe('STACK_STUCK');
    expect(stuck.message).toContain('it was CREATE_IN_PROGRESS when the VIM last answered');
  });

  test('fails when somebody deletes the stack meanwhile, and does not wait for ever', async () => {
    cloud.on(`GET ${byId}`, 'heat-show-404');
    const problem = await problemOf(waitForStack(session, stack, { goal: 'create', ...fast }));
    expect([problem.code, problem.message.includes('does not exist any more')]).toEqual(['STACK_CREATE_FAILED', true]);
  });

  test('ends at once when it is aborted', async () => {
    cloud.on(`GET ${byId}`, shown('CREATE_IN_PROGRESS'));
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('worker shuts down')), 50);
    const waiting = waitForStack(session, stack, { goal: 'create', deadlineMs: 60_000, signal: abort.signal });
    await expect(waiting).rejects.toThrow('worker shuts down');
  });
});

/** A group whose member's server found no host, and a port beside it that Heat stopped for that reason. */
function failedResources(): object[] {
  const row = (name: string, at: string, more: object) => ({
    resource_name: name,
    resource_type: 'OS::Nova::Server',
    physical_resource_id: '',
    resource_status: 'CREATE_FAILED',
    links: [
      { rel: 'stack', href: `http://x/v1/p/stacks/${at}` },
      ...('nested' in more ? [{ rel: 'nested', href: `http://x/v1/p/stacks/${more.nested}` }] : []),
    ],
    ...more,
  });
  return [
    row('group', `rec-17993/${stack.id}`, {
      nested: 'g/1',
      resource_status_reason: 'ResourceInError: resources.group',
    }),
    row('member', 'g/1', { nested: 'm/2', resource_status_reason: 'ResourceInError: resources.member' }),
    row('VDU1_CP1', 'm/2', { resource_status_reason: 'CREATE aborted (user triggered cancel)' }),
    row('VDU1', 'm/2', { resource_status_reason: 'ResourceInError: No valid host was found' }),
  ];
}
