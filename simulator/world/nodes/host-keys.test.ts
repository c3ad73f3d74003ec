import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { generateHostKey } from './host-keys.ts';

it('every host key can be read by the SSH server, also at hundreds of machines', () => {
  const unreadable = Array.from({ length: 2000 }, generateHostKey).filter(
    (key) => ssh2.utils.parseKey(key.private) instanceof Error,
  );
  expect(unreadable).toEqual([]);
});
