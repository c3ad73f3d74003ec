import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RecordedCloud, startRecordedCloud } from '../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../test/testing/problem-of.ts';
import { createStack, deleteStack, markUnhealthy, showStack, updateStack } from './heat.ts';
import { showServer } from './nova.ts';
import { checkConnection, createSession } from './session.ts';

const PROJECT = 'f67a9dea29c1457990b621766418b6b8';
const stack = { name: 'rec-17993', id: '8fe6139f-c5fb-48a6-a2f4-73ca267d0656' };
const show = `GET /v1/${PROJECT}/stacks/${stack.name}/${stack.id}`;

let cloud: RecordedCloud;
beforeEach(async () => {
  cloud = await startRecordedCloud();
});
afterEach(() => cloud.stop());

test('one token serves many calls, also calls at the same time', async () => {
  cloud.on(show, 'heat-show-create-complete');
  const session = createSession(cloud.credentials);
  await Promise.all([1, 2, 3].map(() => showStack(session, stack)));
  await showStack(session, stack);
  expect(cloud.tokensIssued).toBe(1);
  expect(await session.projectId()).toBe(PROJECT);
});

test('a revoked token is replaced, also when its successor was issued in the second of the revocation', async () => {
  cloud.on(show, 'heat-show-create-complete');
  const session = createSession(cloud.credentials);
  await showStack(session, stack);
  cloud.revokeTokens();
  expect((await showStack(session, stack)).stack_status).toBe('CREATE_COMPLETE');
  expect(cloud.tokensIssued).toBe(2);
  cloud.on(show, 'heat-revoked-token-401', 'heat-revoked-token-401', 'heat-show-create-complete');
  expect((await showStack(session, stack)).stack_status).toBe('CREATE_COMPLETE');
  cloud.on(show, 'heat-revoked-token-401');
  expect((await problemOf(showStack(session, stack))).code).toBe('VIM_CREDENTIALS');
  expect(cloud.tokensIssued).toBe(6);
});

test('each change of a stack has a token of its own, because Heat goes on with it for as long as the stack takes', async () => {
  cloud.on(show, 'heat-show-create-complete');
  cloud.on(`POST /v1/${PROJECT}/stacks`, 'heat-create-201');
  cloud.on(show.replace('GET', 'PATCH'), 'heat-patch-202');
  cloud.on(show.replace('GET', 'DELETE'), 'heat-delete-204');
  const session = createSession(cloud.credentials);
  await showStack(session, stack);
  await createStack(session, stack.name, { template: 'heat_template_version: 2018-08-31' });
  await updateStack(session, stack);
  await deleteStack(session, stack);
  await showStack(session, stack);
  expect(cloud.tokensIssued).toBe(4);
});

test('a token is renewed before it expires', async () => {
  cloud.on(show, 'heat-show-create-complete');
  cloud.tokenLifetimeMs = 400;
  const session = createSession(cloud.credentials);
  await showStack(session, stack);
  await new Promise((resolve) => setTimeout(resolve, 320));
  await showStack(session, stack);
  expect(cloud.tokensIssued).toBe(2);
});

test.each(['', '/', '/v3', '/v3/', '/v3/auth/tokens'])('an endpoint that ends in "%s" is accepted', async (end) => {
  const { projectId, regions } = await checkConnection({ ...cloud.credentials, authUrl: `${cloud.origin}${end}` });
  expect([projectId, regions]).toEqual([PROJECT, ['RegionOne']]);
});

test('the error of a wrong password is final and names user and project, but not the password', async () => {
  const problem = await problemOf(checkConnection({ ...cloud.credentials, password: 'canary-4711' }));
  expect([problem.code, problem.kind.retriable]).toEqual(['VIM_CREDENTIALS', false]);
  expect(problem.message).toContain('user "nfv_user" (domain "Default") in project "nfv"');
  expect(inspect(problem, { depth: 20 })).not.toContain('canary-4711');
});

test('a VIM that does not listen is unreachable, and the error does not contain the password', async () => {
  const credentials = { ...cloud.credentials, authUrl: 'http://127.0.0.1:1/v3', password: 'canary-4711' };
  const problem = await problemOf(checkConnection(credentials));
  expect([problem.code, problem.kind.retriable]).toEqual(['VIM_UNREACHABLE', true]);
  expect(problem.message).toBe('Keystone does not answer at http://127.0.0.1:1/v3/auth/tokens: connection refused.');
  expect(inspect(problem, { depth: 20 })).not.toContain('canary-4711');
});

test('an endpoint that is no URL is rejected, and the error of a missing region names the region', async () => {
  expect((await problemOf(checkConnection({ ...cloud.credentials, authUrl: 'file:///etc/passwd' }))).code).toBe(
    'VIM_REJECTED',
  );
  const problem = await problemOf(checkConnection({ ...cloud.credentials, region: 'Mars' }));
  expect(problem.message).toContain('no public Heat endpoint in region "Mars"');
});

test('a call ends when the answer takes too long, the connection is cut, or the caller aborts it', async () => {
  cloud.on(show, { status: 200, body: {}, delayMs: 2_000 });
  const session = createSession(cloud.credentials);
  const slow = await problemOf(showStack(session, stack, { timeoutMs: 100 }));
  expect([slow.code, slow.message.includes('time-out')]).toEqual(['VIM_UNREACHABLE', true]);
  await expect(showStack(session, stack, { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
  cloud.on(show, { status: 200, cut: true });
  expect((await problemOf(showStack(session, stack))).code).toBe('VIM_UNREACHABLE');
});

test('a redirect is not followed with the token', async () => {
  cloud.on(show, { status: 302, headers: { location: 'http://127.0.0.1:1/steal' }, body: {} });
  expect((await problemOf(showStack(createSession(cloud.credentials), stack))).code).toBe('VIM_PROTOCOL');
});

test('a token that a service repeats in its error is redacted', async () => {
  cloud.on(show, { status: 400, body: { error: { code: 400, message: 'bad token token-1 of correct horse' } } });
  const problem = await problemOf(showStack(createSession(cloud.credentials), stack));
  expect(problem.message).toBe('Heat: bad token *** of *** (GET gave 400)');
});

describe("OpenStack's own words", () => {
  const cases = [
    ['heat-create-400-bad-image', 'VIM_REJECTED', "Error validating value 'no-such-image'"],
    ['heat-create-409-duplicate', 'VIM_REJECTED', 'The Stack (rec-17993) already exists.'],
    ['heat-create-500-circular', 'VIM_UNREACHABLE', 'The server has either erred'],
    ['heat-show-404', 'VIM_NOT_FOUND', 'The Stack (no-such-stack) could not be found.'],
    ['heat-wrong-project-403', 'VIM_FORBIDDEN', 'Access was denied to this resource.'],
    ['neutron-delete-409-in-use', 'VIM_REJECTED', 'There are one or more ports still in use on the network'],
    ['nova-404', 'VIM_NOT_FOUND', 'could not be found.'],
    ['glance-404', 'VIM_NOT_FOUND', 'No image found with ID zzz (GET gave 404)'],
  ] as const;
  test.each(cases)('%s is %s', async (sample, code, words) => {
    cloud.on(show, sample);
    const problem = await problemOf(showStack(createSession(cloud.credentials), stack));
    expect(problem.code).toBe(code);
    expect(problem.message).toContain(words);
    expect(problem.message).not.toContain('<');
  });

  const invented = [
    [429, { 'retry-after': '7' }, { overLimit: { message: 'slow down', code: 429 } }, 'VIM_BUSY', 7],
    [503, { 'retry-after': '3' }, 'maintenance', 'VIM_BUSY', 3],
    [503, {}, '<html><h1>503</h1> No server is available</html>', 'VIM_UNREACHABLE', undefined],
    [502, {}, '', 'VIM_UNREACHABLE', undefined],
    [
      409,
      {},
      {
        code: 409,
        title: 'Conflict',
        explanation: 'There was a conflict when trying to complete your request.',
        error: { type: 'ActionInProgress', message: 'Stack x already has an action (UPDATE) in progress.' },
      },
      'VIM_BUSY',
      undefined,
    ],
    [
      409,
      {},
      { conflictingRequest: { code: 409, message: "Cannot 'stop' instance x while it is in task_state powering-off" } },
      'VIM_BUSY',
      undefined,
    ],
    [413, {}, { message: 'too big', code: '413' }, 'VIM_REJECTED', undefined],
  ] as const;
  test.each(invented)('status %s with headers %o is translated', async (status, headers, body, code, retryAfter) => {
    cloud.on(show, { status, headers, body });
    const problem = await problemOf(showStack(createSession(cloud.credentials), stack));
    expect([problem.code, problem.retryAfterSeconds]).toEqual([code, retryAfter]);
  });

  test.each([['<html>hello</html>'], ['{"stack": 5}'], ['[]'], ['{"stack":{"id":"x"}}']])(
    'an answer that does not fit the schema is a protocol error: %s',
    async (body) => {
      cloud.on(show, { status: 200, body });
      expect((await problemOf(showStack(createSession(cloud.credentials), stack))).code).toBe('VIM_PROTOCOL');
    },
  );
});

test('a server is shown with its addresses, and a server that does not exist as undefined', async () => {
  cloud.on('GET /v2.1/servers/none', 'nova-404');
  cloud.on('GET /v2.1/servers/one', 'nova-server-member');
  const session = createSession(cloud.credentials);
  expect(await showServer(session, 'none')).toBeUndefined();
  expect((await showServer(session, 'one'))?.addresses['net0']?.[0]?.addr).toBe('10.10.0.130');
});

test('a stack is created, updated and deleted as Heat expects it, and a member is marked for replacement', async () => {
  const base = `/v1/${PROJECT}/stacks`;
  cloud.on(`POST ${base}`, 'heat-create-201');
  cloud.on(`PATCH ${base}/${stack.name}/${stack.id}`, 'heat-patch-202');
  cloud.on(`PUT ${base}/${stack.name}/${stack.id}`, 'heat-put-400-no-template');
  cloud.on(`PATCH ${base}/${stack.name}/${stack.id}/resources/VDU1`, 'heat-mark-200');
  cloud.on(`PATCH ${base}/${stack.name}/${stack.id}/resources/zzz`, 'heat-mark-404');
  cloud.on(`DELETE ${base}/${stack.name}/${stack.id}`, 'heat-delete-204', 'heat-delete-again-404');
  const session = createSession(cloud.credentials);
  const input = {
    template: 'heat_template_version: 2018-08-31',
    files: { 'a.yaml': 'x' },
    parameters: { nfv: { a: 1 } },
  };
  expect(await createStack(session, stack.name, { ...input, timeoutMins: 20 })).toEqual(stack);
  await updateStack(session, stack, { parameters: { nfv: { a: 2 } } });
  await updateStack(session, stack);
  expect((await problemOf(updateStack(session, stack, { existing: false }))).message).toContain(
    'No template specified',
  );
  await markUnhealthy(session, stack, { name: 'VDU1', reason: 'marked by vnflow' });
  expect((await problemOf(markUnhealthy(session, stack, { name: 'zzz', reason: 'x' }))).code).toBe('VIM_NOT_FOUND');
  await deleteStack(session, stack);
  await deleteStack(session, stack);
  expect(cloud.bodies.slice(0, 3)).toEqual([
    { stack_name: stack.name, disable_rollback: true, ...input, timeout_mins: 20 },
    { parameters: { nfv: { a: 2 } } },
    {},
  ]);
  expect(cloud.bodies[4]).toEqual({ mark_unhealthy: true, resource_status_reason: 'marked by vnflow' });
});
