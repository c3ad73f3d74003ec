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
  await Promise.all([validate('a'), validate('a'), validate('a'), validate('b'), validate('short')]);
  expect(asked).toEqual(['a', 'b', 'short']);
  now = 10_000;
  await Promise.all([validate('a'), validate('short')]);
  expect(asked).toEqual(['a', 'b', 'short', 'short']);
  now = 60_000;
  await validate('a');
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
  await expect(validate('a')).rejects.toMatchObject({ code: 'KEYSTONE_UNAVAILABLE' });
  down = false;
  expect(await validate('a')).toBeUndefined();
  expect(await validate('a')).toBeUndefined();
  expect(asked).toBe(2);
  now = 5_000;
  await validate('a');
  expect(asked).toBe(3);
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
