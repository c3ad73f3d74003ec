import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHostRules } from '../network/host-rules.ts';
import { type RecordedCloud, recorded, startRecordedCloud } from '../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../test/testing/problem-of.ts';
import { parseAnswer } from './answer-json.ts';
import { showStack } from './heat.ts';
import { issueToken } from './keystone.ts';
import { checkConnection, createSession } from './session.ts';
import { createTransport } from './transport.ts';

const stack = { name: 's', id: '1' };
const show = 'GET /v1/f67a9dea29c1457990b621766418b6b8/stacks/s/1';
let cloud: RecordedCloud;
const servers: Server[] = [];
beforeEach(async () => {
  cloud = await startRecordedCloud();
});
afterEach(async () => {
  await cloud.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Something on loopback that is no OpenStack, and how often it was called. */
async function other(answer: RequestListener): Promise<{ origin: string; server: Server; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, calls };
}

/** A Keystone that gives a token with this catalogue. */
function keystoneWith(catalog: unknown, changes: object = {}): Promise<{ origin: string; server: Server }> {
  const { token } = recorded('keystone-token-201').body as { token: object };
  return other((_, response) =>
    response
      .writeHead(201, { 'X-Subject-Token': 't' })
      .end(JSON.stringify({ token: { ...token, catalog, ...changes } })),
  );
}

const heatAt = (url: string) => [{ type: 'orchestration', endpoints: [{ interface: 'public', url, region: 'R' }] }];

it('no Keystone is called on loopback that the operator has not named', async () => {
  const { origin, calls } = await other((_, response) => response.end());
  const { hosts: _, ...credentials } = cloud.credentials;
  const problem = await problemOf(checkConnection({ ...credentials, authUrl: origin }));
  expect([problem.code, problem.message]).toEqual(['VIM_ADDRESS', expect.stringContaining('a loopback address')]);
  const byName = await problemOf(
    checkConnection({ ...credentials, authUrl: origin.replace('127.0.0.1', 'localhost') }),
  );
  expect(byName.code).toBe('VIM_ADDRESS');
  expect(calls).toEqual([]);
});

it('a service catalogue cannot send a call to a host or a port that is not allowed', async () => {
  const temporal = await other((_, response) => response.end('{}'));
  const { origin } = await keystoneWith(heatAt(`${temporal.origin}/api/v1/namespaces/default`));
  const hosts = createHostRules({ trusted: [new URL(origin).host] });
  const session = createSession({ ...cloud.credentials, authUrl: origin, hosts });
  expect((await problemOf(showStack(session, stack))).code).toBe('VIM_ADDRESS');
  expect(temporal.calls).toEqual([]);
});

it.each(['http://user:pass@HOST/v1', 'http://HOST/api?x=', 'http://HOST/api#', 'ftp://HOST/'])(
  'an endpoint %s in the service catalogue is refused, and so is such an auth_url',
  async (pattern) => {
    const target = await other((_, response) => response.end('{}'));
    const url = pattern.replace('HOST', new URL(target.origin).host);
    const { origin } = await keystoneWith(heatAt(url));
    const session = createSession({ ...cloud.credentials, authUrl: origin });
    expect((await problemOf(showStack(session, stack))).code).toBe('VIM_REJECTED');
    expect((await problemOf(checkConnection({ ...cloud.credentials, authUrl: url }))).code).toBe('VIM_REJECTED');
    expect(target.calls).toEqual([]);
  },
);

it.each([
  ['plain text', 'canary-secret of another service'],
  ['HTML', '<html><body>canary-secret</body></html>'],
  ['JSON of another service', JSON.stringify({ code: 5, message: 'canary-secret', details: [] })],
  ['JSON with another status', JSON.stringify({ error: { code: 500, message: 'canary-secret' } })],
  ['a list of errors', JSON.stringify({ errors: [{ message: 'canary-secret' }], error: 'canary-secret' })],
  ['several faults', JSON.stringify({ a: { code: 400, message: 'canary-secret' }, b: {} })],
])('%s is not shown to the caller', async (_, body) => {
  const headers = { 'x-openstack-request-id': 'canary-secret' };
  cloud.on(show, { status: 400, headers, body });
  const problem = await problemOf(showStack(createSession(cloud.credentials), stack));
  expect(JSON.stringify([problem.message, problem.seen])).not.toContain('canary');
  expect(problem.message).toContain('status 400 without an explanation');
});

it('text of a VIM with control characters, changes of direction and halves of characters is cleaned', async () => {
  const { body } = recorded('heat-show-create-complete') as { body: { stack: object } };
  const stack_status_reason = 'No\u0000 \u001b[31mvalid\u001b[0m host\u202e was\ud800 found';
  cloud.on(show, { status: 200, body: { stack: { ...body.stack, stack_status_reason } } });
  const shown = await showStack(createSession(cloud.credentials), stack);
  expect(shown.stack_status_reason).toBe('No valid host was found');
  cloud.on(show, { status: 400, body: { badRequest: { code: 400, message: stack_status_reason } } });
  const problem = await problemOf(showStack(createSession(cloud.credentials), stack));
  expect(problem.message).toBe('Heat: No valid host was found (GET gave 400)');
});

it('brackets within brackets are not parsed, and quickly refused', async () => {
  const began = performance.now();
  for (const text of ['['.repeat(8e6), '{"a":'.repeat(1e6), `[${'{},'.repeat(2e6)}{}]`, `"${'\\"'.repeat(3e6)}`])
    expect(parseAnswer(text)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(4000);
  expect(parseAnswer('{"a": ["]", "\\"[", "\\\\", {"b": null}]}')).toEqual({ a: [']', '"[', '\\', { b: null }] });
});

it('an answer of Keystone over 1 MiB, an answer with too many items, and any number of wrong ones are refused', async () => {
  const { origin } = await other((_, response) =>
    response.writeHead(201, { 'X-Subject-Token': 't' }).end(' '.repeat(2 ** 20 + 1)),
  );
  const long = await problemOf(checkConnection({ ...cloud.credentials, authUrl: origin }));
  expect([long.code, long.message]).toEqual(['VIM_PROTOCOL', expect.stringContaining('more than 1048576 bytes')]);
  const service = { type: 'x', endpoints: [] };
  const many = await keystoneWith(Array.from({ length: 201 }, () => service));
  expect((await problemOf(checkConnection({ ...cloud.credentials, authUrl: many.origin }))).code).toBe('VIM_PROTOCOL');
  const session = createSession(cloud.credentials);
  cloud.on(show, { status: 200, body: `{"stack":{"outputs":[${'{},'.repeat(90_000)}{}]}}` });
  const began = performance.now();
  expect((await problemOf(showStack(session, stack))).code).toBe('VIM_PROTOCOL');
  expect(performance.now() - began).toBeLessThan(4000);
});

it('an error page of any size is an error with its status', async () => {
  cloud.on(show, { status: 503, body: 'x'.repeat(3 * 2 ** 20) });
  expect((await problemOf(showStack(createSession(cloud.credentials), stack))).code).toBe('VIM_UNREACHABLE');
});

it('a token is used for a day at most, whatever time Keystone gives it', async () => {
  const { origin } = await keystoneWith([], { expires_at: '2999-01-01T00:00:00Z' });
  const transport = createTransport(cloud.credentials);
  const { expiresAt } = await issueToken(transport, { ...cloud.credentials, authUrl: origin });
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);
});

it('no connection to a VIM that was rejected stays open', async () => {
  const { origin, server } = await other((_, response) => response.writeHead(401).end('{}'));
  for (let at = 0; at < 5; at += 1) {
    expect((await problemOf(checkConnection({ ...cloud.credentials, authUrl: origin }))).code).toBe('VIM_CREDENTIALS');
  }
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))), { timeout: 1000 })
    .toBe(0);
});
