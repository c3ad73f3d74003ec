import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changedConnections, checkConnections } from './check-registries.ts';
import { RegistryConnections } from './registry-connections.ts';

/** Authorities of tests, made with openssl: one for a hundred years, and one for a day in 2026. */
const pem = (name: string) => readFileSync(new URL(`../../../test/testing/domain/${name}.crt`, import.meta.url));
const files = new Map([
  ['Files/registries/ca.crt', pem('valid-authority')],
  ['Files/registries/old.crt', pem('expired-authority')],
  ['Files/registries/no.crt', Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')],
  ['Files/registries/key.pem', Buffer.from('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')],
]);
const sources = { files, now: new Date('2027-01-01') };

/** The second entry of guide 004. */
const GUIDE = {
  connection_type: '1',
  server: 'registry.example.com',
  username: 'user01',
  password: 'user01',
  certificate_path: 'Files/registries/ca.crt',
  hosts_string: '192.168.0.20 registry.example.com',
};

it("takes the guide's entries, and a connection_type that is a number", () => {
  const [http, https] = changedConnections([{ connection_type: 0, server: '192.168.0.10:5000' }, GUIDE], sources);
  expect(http).toEqual({ connection_type: '0', server: '192.168.0.10:5000' });
  expect(https).toEqual(GUIDE);
});

it('takes a certificate in the request, too', () => {
  const { certificate_path: _, ...others } = GUIDE;
  const given = { ...others, certificate: pem('valid-authority').toString() };
  expect(changedConnections([given], sources)).toEqual([given]);
});

it('is the same when it is read again, as it is kept', () => {
  const kept = changedConnections(
    [GUIDE, { connection_type: 0, server: 'a:1', username: '', hosts_string: '' }],
    sources,
  );
  expect(RegistryConnections.parse(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
});

it.each([null, undefined, []])('%j withdraws all registries', (given) => {
  expect(changedConnections(given, sources)).toEqual([]);
});

it.each<[string, object, RegExp]>([
  ['an unknown connection_type', { connection_type: '2' }, /\.0\.connection_type: must be 0 \(HTTP\) or 1 \(HTTPS\)/],
  ['no connection_type', { connection_type: undefined }, /\.0\.connection_type: is missing/],
  ['no server', { server: undefined }, /\.0\.server: .*/],
  ['a scheme', { server: 'https://registry.example.com' }, /\.0\.server: must not have a scheme/],
  ['a path', { server: 'registry.example.com/v2' }, /\.0\.server: must not have a path/],
  ['a port that is none', { server: 'registry.example.com:70000' }, /\.0\.server: must have a port from 1 to 65535/],
  ['a name that no image can have', { server: 'registry' }, /\.0\.server: must have a dot or a port/],
  ['two lines', { server: 'a.b\n[x]' }, /\.0\.server: must be host/],
  ['docker.io', { server: 'docker.io' }, /docker\.io is no private registry/],
  ['a file that is not there', { certificate_path: 'no' }, /certificate_path: the VNF package has no file no/],
  ['a file that is no certificate', { certificate_path: 'Files/registries/no.crt' }, /is no certificate/],
  ['a key', { certificate_path: 'Files/registries/key.pem' }, /key\.pem is no certificate in PEM form/],
  ['an expired certificate', { certificate_path: 'Files/registries/old.crt' }, /old\.crt expired on 2026-11-23/],
  ['a certificate for HTTP', { connection_type: '0' }, /certificate_path: belongs to HTTPS/],
  ['two certificates', { certificate: 'x' }, /\.0\.certificate: must not stand beside certificate_path/],
  ['a text that is no certificate', { certificate_path: '', certificate: 'x' }, /\.0\.certificate: is no certificate/],
  ['a host without an address', { hosts_string: 'registry.example.com' }, /\.0\.hosts_string: must be an address/],
  ['a host with two names', { hosts_string: '10.0.0.1 a.b c.d' }, /\.0\.hosts_string: must be an address/],
  ['a host of two lines', { hosts_string: '10.0.0.1 a.b\n10.0.0.2 c.d' }, /\.0\.hosts_string: must be an address/],
  ['a user without a password', { password: undefined }, /\.0\.password: is missing; give it together with username/],
  ['a password without a user', { username: '' }, /\.0\.username: is missing; give it together with password/],
  ['a user with a colon', { username: 'a:b' }, /\.0\.username: must not have a colon/],
  ['a password of two lines', { password: 'a\nb' }, /\.0\.password: must not have control characters/],
])('refuses %s', (_, more, message) => {
  expect(() => changedConnections([{ ...GUIDE, ...more }], sources)).toThrow(message);
});

it('refuses a registry that stands there twice, and a name with two addresses', () => {
  const again = { connection_type: '0', server: 'Registry.example.com' };
  expect(() => changedConnections([GUIDE, again], sources)).toThrow(/\.1\.server: .* stands in the list already/);
  const other = { connection_type: '0', server: 'a:1', hosts_string: '192.168.0.21 registry.example.com' };
  expect(() => changedConnections([GUIDE, other], sources)).toThrow(/\.1\.hosts_string: another entry gives/);
});

it('never repeats a password in its message', () => {
  const wrong = () => changedConnections([{ ...GUIDE, password: 'xy\nzz' }], sources);
  expect(wrong).toThrow(expect.not.objectContaining({ message: expect.stringContaining('xy') as string }));
});

it('says when a certificate begins to be valid', () => {
  const early = { files, now: new Date('1999-01-01') };
  const check = () => checkConnections(RegistryConnections.parse([GUIDE]), early, 'x');
  expect(check).toThrow(/x\.0\.certificate_path: .* is not valid before/);
});
