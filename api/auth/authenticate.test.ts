import { expect, it } from 'vitest';
import { VnflowError } from '../../domain/problems.ts';
import { type Caller, checkRole } from './authenticate.ts';
import { cachedValidation } from './token-cache.ts';

function owner(expiresAt: number) {
  return { userName: 'u', projectId: 'p', roles: ['member'], expiresAt };
}

it('asks Keystone once a minute per token, and not beyond the end of the token', async () => {
  let now = 0;
  const asked: string[] = [];
  const validate = cachedValidation(
    async (token) => {
      asked.push(token);
      return owner(token === 'short' ? now + 10_000 : now + 3_600_000);
    },
    () => now,
  );
  await Promise.all([
    validate('a', '192.0.2.1'),
    validate('a', '192.0.2.1'),
    validate('a', '192.0.2.1'),
    validate('b', '192.0.2.1'),
    validate('short', '192.0.2.1'),
  ]);
  expect(asked).toEqual(['a', 'b', 'short']);
  now = 10_000;
  await Promise.all([validate('a', '192.0.2.1'), validate('short', '192.0.2.1')]);
  expect(asked).toEqual(['a', 'b', 'short', 'short']);
  now = 60_000;
  await validate('a', '192.0.2.1');
  expect(asked.at(-1)).toBe('a');
});

it('a wrong token is kept for seconds only, and what Keystone could not say not at all', async () => {
  let now = 0;
  let asked = 0;
  let down = true;
  const validate = cachedValidation(
    async () => {
      asked++;
      if (down) throw new VnflowError('VIM_UNREACHABLE', { detail: 'connection refused' });
      return undefined;
    },
    () => now,
  );
  await expect(validate('a', '192.0.2.1')).rejects.toMatchObject({ code: 'KEYSTONE_UNAVAILABLE' });
  down = false;
  expect(await validate('a', '192.0.2.1')).toBeUndefined();
  expect(await validate('a', '192.0.2.1')).toBeUndefined();
  expect(asked).toBe(2);
  now = 5_000;
  await validate('a', '192.0.2.1');
  expect(asked).toBe(3);
});

it('wrong tokens push no valid one out, and after a hundred Keystone is asked about three a second of their address', async () => {
  let now = 0;
  let asked = 0;
  const validate = cachedValidation(
    async (token) => {
      asked++;
      return token.startsWith('good') ? owner(3_600_000) : undefined;
    },
    () => now,
  );
  await validate('good', '192.0.2.1');
  for (let at = 0; at < 12_000; at++) await validate(`wrong-${at}`, `192.0.2.${at % 200}`);
  expect(asked).toBe(12_001);
  expect(await validate('good', '192.0.2.9')).toBeDefined();
  for (let at = 0; at < 40; at++) await validate(`more-${at}`, '192.0.2.9');
  await expect(validate('one-more', '192.0.2.9')).rejects.toMatchObject({
    code: 'TOO_MANY_WRONG_TOKENS',
    retryAfterSeconds: 1,
  });
  expect(asked).toBe(12_041);
  expect(await validate('good', '192.0.2.9')).toBeDefined(); // is in the cache
  expect(await validate('good-too', '192.0.2.201')).toBeDefined();
  now = 1_000;
  const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => validate(`late-${at}`, '192.0.2.9')));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

it('wrong tokens of its address lock out no token that was valid, at its revalidation, nor a fresh one for long', async () => {
  let now = 0;
  const revoked = new Set<string>();
  const validate = cachedValidation(
    async (token) => (token.startsWith('good') && !revoked.has(token) ? owner(3_600_000) : undefined),
    () => now,
  );
  await validate('good', '192.0.2.1');
  await validate('good-revoked', '192.0.2.1');
  now = 61_000;
  const attack = (name: string) =>
    Promise.allSettled(Array.from({ length: 200 }, (_, at) => validate(`${name}-${at}`, '192.0.2.1')));
  const first = await attack('first');
  expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  expect(await validate('good', '192.0.2.1')).toBeDefined();
  revoked.add('good-revoked');
  expect(await validate('good-revoked', '192.0.2.1')).toBeUndefined();
  now = 67_000;
  await attack('second');
  await expect(validate('good-revoked', '192.0.2.1')).rejects.toMatchObject({ code: 'TOO_MANY_WRONG_TOKENS' });
  await expect(validate('good-fresh', '192.0.2.1')).rejects.toMatchObject({ code: 'TOO_MANY_WRONG_TOKENS' });
  now = 68_000;
  expect(await validate('good-fresh', '192.0.2.1')).toBeDefined();
});

it('many valid tokens of one address are no attack', async () => {
  const validate = cachedValidation(
    async () => owner(3_600_000),
    () => 0,
  );
  for (let at = 0; at < 500; at++) expect(await validate(`good-${at}`, '192.0.2.1')).toBeDefined();
});

it.each([
  ['reader', true, false],
  ['member', true, true],
  ['admin', true, true],
  ['creator', false, false],
])('the role %s may read: %s, write: %s', (role, read, write) => {
  const caller: Caller = { tenant: 't', userName: 'u', roles: new Set([role]) };
  const may = (access: 'read' | 'write') => {
    try {
      checkRole(caller, access);
      return true;
    } catch {
      return false;
    }
  };
  expect([may('read'), may('write')]).toEqual([read, write]);
});
