import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfiguration } from './configuration.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-configuration-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('needs no variable: the store is embedded, and the master key lies in a new file that only the owner can read', () => {
  const { store, masterKey } = readConfiguration({}, directory);
  expect(store).toEqual({ kind: 'embedded', directory: path.join(directory, 'store'), durability: 'power' });
  expect(statSync(path.join(directory, 'master.key')).mode & 0o777).toBe(0o600);
  expect(readConfiguration({}, directory).masterKey.equals(masterKey)).toBe(true);
});

it('reads a bastion as user@host:port with default port 22, and an empty variable as absent', () => {
  const bastion = (text: string) => readConfiguration({ VNFLOW_BASTION: text }, directory).bastion;
  expect(bastion('jump@bastion.example:2222')).toEqual({ username: 'jump', host: 'bastion.example', port: 2222 });
  expect(bastion('jump@10.0.0.1')).toEqual({ username: 'jump', host: '10.0.0.1', port: 22 });
  expect(bastion('')).toBeUndefined();
});

it('refuses a key of the bastion that cannot be read, without repeating it', () => {
  const file = path.join(directory, 'bastion-key');
  const read = (key: string) => () => {
    writeFileSync(file, key);
    return readConfiguration({ VNFLOW_BASTION: 'jump@b', VNFLOW_BASTION_KEY_FILE: file }, directory).bastion
      ?.privateKey;
  };
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  expect(read(privateKey)()).toBe(privateKey);
  expect(read('canary')).toThrow(`VNFLOW_BASTION_KEY_FILE: what ${file} holds is no private key that can be read`);
  expect(read('canary')).not.toThrow('canary');
});

it('takes fingerprints of the bastion, so that its first contact proves nothing', () => {
  const [one, two] = [`SHA256:${'a'.repeat(43)}`, `SHA256:${'b+/'.repeat(14)}c`];
  const read = (text: string) =>
    readConfiguration({ VNFLOW_BASTION: 'jump@b', VNFLOW_BASTION_HOST_KEY: text }, directory).bastion?.hostKeys;
  expect(read(`${one},${two}`)).toEqual([one, two]);
  expect(read('')).toBeUndefined();
});

it('backs clusters up every six hours and keeps eight backups by default', () => {
  expect(readConfiguration({}, directory).backups).toEqual({ everySeconds: 21_600, keep: 8 });
  const told = readConfiguration({ VNFLOW_BACKUP_HOURS: '0.5', VNFLOW_BACKUPS_KEPT: '9' }, directory);
  expect(told.backups).toEqual({ everySeconds: 1800, keep: 9 });
});

it('trusts the Keystone of the API, and no other host when VNFLOW_VIM_HOSTS names some', () => {
  const keystone = { VNFLOW_KEYSTONE_URL: 'http://127.0.0.1:9891/identity/v3', TEMPORAL_ADDRESS: 'temporal:7233' };
  const { vimHosts } = readConfiguration(keystone, directory);
  expect(vimHosts).toEqual({
    keystone: 'http://127.0.0.1:9891/identity/v3',
    trusted: [],
    trustedOnly: false,
    internal: ['temporal'],
  });
  const named = readConfiguration({ ...keystone, VNFLOW_VIM_HOSTS: 'Cloud.example, 10.0.0.5:5000' }, directory);
  expect(named.vimHosts).toMatchObject({
    trusted: ['cloud.example', '10.0.0.5:5000'],
    trustedOnly: true,
  });
});

it.each([
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  [{ TEMPORAL_ADDRESS: 'http://temporal' }, 'TEMPORAL_ADDRESS'],
  [{ VNFLOW_BASTION: 'no bastion' }, 'VNFLOW_BASTION'],
  [{ VNFLOW_BASTION_HOST_KEY: 'ssh-ed25519 AAAA' }, 'VNFLOW_BASTION_HOST_KEY'],
  [{ VNFLOW_BACKUP_HOURS: '0' }, 'VNFLOW_BACKUP_HOURS'],
  [{ VNFLOW_BACKUPS_KEPT: 'all' }, 'VNFLOW_BACKUPS_KEPT'],
  [{ VNFLOW_STEP_LOG_DAYS: '0' }, 'VNFLOW_STEP_LOG_DAYS'],
  [{ VNFLOW_MASTER_KEY: 'c2hvcnQ=' }, 'VNFLOW_MASTER_KEY'],
])('refuses %j and names the variable', (environment, name) => {
  expect(() => readConfiguration(environment, directory)).toThrow(name);
});

it('reads secrets from the files that …_FILE variables name', () => {
  const file = path.join(directory, 'url');
  writeFileSync(file, 'postgres://u:canary@db.example/v\n', { mode: 0o600 });
  expect(readConfiguration({ DATABASE_URL_FILE: file }, directory).store).toEqual({
    kind: 'postgres',
    url: 'postgres://u:canary@db.example/v',
  });
  const both = { VNFLOW_BASTION_PASSWORD_FILE: file, VNFLOW_BASTION_PASSWORD: 'x' };
  expect(() => readConfiguration(both, directory)).toThrow('Set VNFLOW_BASTION_PASSWORD or');
  expect(() => readConfiguration({ DATABASE_URL_FILE: '/nowhere' }, directory)).toThrow('/nowhere cannot be read');
});

it('refuses a key file that others can read', () => {
  const other = mkdtempSync(path.join(tmpdir(), 'vnflow-key-'));
  writeFileSync(path.join(other, 'master.key'), `${Buffer.alloc(32).toString('base64')}\n`, { mode: 0o644 });
  expect(() => readConfiguration({}, other)).toThrow(/chmod 600/);
  rmSync(other, { recursive: true });
});
