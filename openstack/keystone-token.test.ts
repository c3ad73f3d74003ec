import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createHostRules } from '../network/host-rules.ts';
import { type RecordedCloud, recorded, startRecordedCloud } from '../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../test/testing/problem-of.ts';
import { validateToken as validate } from './keystone-token.ts';

const hosts = createHostRules({ trusted: ['127.0.0.1'] });
let cloud: RecordedCloud;
beforeEach(async () => {
  cloud = await startRecordedCloud();
});
afterEach(() => cloud.stop());

const validateToken = (authUrl: string, token: string) => validate(authUrl, token, { hosts });

function validated(expiresAt: string) {
  const { body } = recorded('keystone-validate-200');
  const { token } = z.object({ token: z.record(z.string(), z.unknown()) }).parse(body);
  return { status: 200, body: { token: { ...token, expires_at: expiresAt } } };
}

test('a valid token gives its user, project, roles and time of expiry', async () => {
  const expires = new Date(Date.now() + 60_000).toISOString();
  cloud.on('GET /v3/auth/tokens', validated(expires));
  expect(await validateToken(cloud.credentials.authUrl, 'some-token')).toEqual({
    userId: '02655ffb897e432287de627f6c424640',
    userName: 'nfv_user',
    projectId: 'f67a9dea29c1457990b621766418b6b8',
    projectName: 'nfv',
    roles: ['admin', 'advsvc', 'member', 'heat_stack_owner', 'reader'],
    expiresAt: Date.parse(expires),
  });
});

test('a token that is unknown, refused, expired or not fit for an HTTP header has no owner', async () => {
  cloud.on(
    'GET /v3/auth/tokens',
    'keystone-validate-404',
    'heat-revoked-token-401',
    validated('2020-01-01T00:00:00.000000Z'),
  );
  for (const token of ['nonsense', 'revoked', 'expired', 'bad\r\nX-Evil: 1', '', 'x'.repeat(9_000)]) {
    expect(await validateToken(cloud.credentials.authUrl, token)).toBeUndefined();
  }
  expect(cloud.calls).toHaveLength(3);
});

test('a Keystone that is down or sends an unusable answer does not make the token invalid', async () => {
  cloud.on('GET /v3/auth/tokens', { status: 503, body: 'down' }, { status: 200, body: '<html>' });
  expect((await problemOf(validateToken(cloud.credentials.authUrl, 'x'))).code).toBe('VIM_UNREACHABLE');
  expect((await problemOf(validateToken(cloud.credentials.authUrl, 'x'))).code).toBe('VIM_PROTOCOL');
  expect((await problemOf(validateToken('http://127.0.0.1:1', 'x'))).code).toBe('VIM_UNREACHABLE');
});
