import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asVimConnectionInfo } from '../../domain/vim-connection.ts';
import type { Database } from '../../store/open-store.ts';
import { createSecrets, type Secrets, secretName } from '../../store/secrets.ts';
import { insertVim } from '../../store/vims.ts';
import { openTestStore } from '../../test/testing/test-store.ts';
import { currentVimConnection } from './operation-facts.ts';

const tenant = randomUUID();
const id = randomUUID();
const vim = {
  id,
  authUrl: 'https://keystone.example/v3',
  authCred: { username: 'u', password: 'first', user_domain_name: 'Default' },
  vimProject: { name: 'nfv', project_domain_name: 'Default' },
};
let db: Database;
let secrets: Secrets;
beforeAll(async () => {
  db = await openTestStore();
  secrets = createSecrets(db, randomBytes(32));
  const row = {
    name: 'v',
    description: '',
    type: 'openstack',
    extra: {},
    isDefault: false,
    placementAttr: {},
  } as const;
  await insertVim(db, { ...row, ...vim, tenant });
  await secrets.put(secretName.vim(id), { ...vim.authCred, password: 'second' }, id);
});
afterAll(() => db.destroy());

const passwordOf = async (info: object, of = tenant) => {
  const connection = { id: 'vim1', info: { ...asVimConnectionInfo(vim), ...info } };
  return (await currentVimConnection({ db, secrets }, of, connection)).info.accessInfo?.['password'];
};

it('an instance that names a registered VIM uses the password that the VIM has now', async () => {
  expect(await passwordOf({})).toBe('second');
});

it('a connection of its own stays as it is: no VIM, a VIM of another project, another endpoint or project', async () => {
  expect(await passwordOf({ vimId: undefined })).toBe('first');
  expect(await passwordOf({ vimId: 'my-vim' })).toBe('first');
  expect(await passwordOf({}, randomUUID())).toBe('first');
  expect(await passwordOf({ interfaceInfo: { endpoint: 'https://other.example/v3' } })).toBe('first');
  expect(await passwordOf({ accessInfo: { ...asVimConnectionInfo(vim).accessInfo, project: 'other' } })).toBe('first');
});
