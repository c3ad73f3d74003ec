import { expect, it } from 'vitest';
import { probeConfig, readProbe } from './registry-check.ts';
import type { RegistryConnection } from './registry-connections.ts';

const HTTPS: RegistryConnection = {
  connection_type: '1',
  server: 'registry.example.com:5443',
  username: 'user01',
  password: 'a "quoted\\ word',
  certificate_path: 'Files/ca.crt',
  hosts_string: '192.168.0.20 registry.example.com',
};
const HTTP: RegistryConnection = { connection_type: '0', server: '192.168.0.10:5000' };

it('asks the registry at the address of hosts_string, with its authority and login, each option on a line', () => {
  const lines = probeConfig(HTTPS, { authorityFile: '/x/0.crt' }).split('\n');
  expect(lines).toContain('url = "https://registry.example.com:5443/v2/"');
  expect(lines).toContain('resolve = "registry.example.com:5443:192.168.0.20"');
  expect(lines).toContain('cacert = "/x/0.crt"');
  expect(lines).toContain('user = "user01:a \\"quoted\\\\ word"');
  expect(lines).toContain('noproxy = "*"');
});

it('goes through the proxy of the container runtime unless the registry is an exception', () => {
  const proxy = { http: 'http://p:1', https: 'http://p:2', exceptions: ['192.168.0.0/24', '.example.com'] };
  expect(probeConfig(HTTPS, { proxy })).toContain('noproxy = "*"');
  expect(probeConfig(HTTP, { proxy })).toContain('noproxy = "*"');
  const far: RegistryConnection = { connection_type: '0', server: '10.1.1.1:5000' };
  expect(probeConfig(far, { proxy })).toContain('proxy = "http://p:1"');
  expect(probeConfig({ ...far, connection_type: '1' }, { proxy })).toContain('proxy = "http://p:2"');
});

const answer = (status: number, headers = '') => ({
  code: 0,
  stdout: `HTTP/1.1 ${status} X\r\n${headers}\r\nvnflow-status:${status}\n`,
  stderr: '',
});
const failed = (code: number, stderr: string) => ({
  code,
  stdout: '\nvnflow-status:000\n',
  stderr: `curl: (${code}) ${stderr}\nMore details here: https://curl.se/docs/sslcerts.html\n`,
});

it.each<[string, RegistryConnection, ReturnType<typeof answer>, string, RegExp]>([
  [
    'nothing listens',
    HTTP,
    failed(7, 'Connection refused'),
    'REGISTRY_UNREACHABLE',
    /does not answer over HTTP:.*refused/,
  ],
  ['no such name', HTTP, failed(6, 'Could not resolve host: a'), 'REGISTRY_UNREACHABLE', /Could not resolve host/],
  ['HTTP only', HTTPS, failed(35, 'SSL routines::wrong version number'), 'REGISTRY_UNREACHABLE', /connection_type 0/],
  ['HTTPS only', HTTP, answer(400), 'REGISTRY_UNREACHABLE', /no registry answers there, but something with status 400/],
  ['another program', HTTP, answer(404), 'REGISTRY_UNREACHABLE', /status 404/],
  [
    'a wrong authority',
    HTTPS,
    failed(60, 'unable to get local issuer certificate'),
    'REGISTRY_UNTRUSTED',
    /Files\/ca\.crt/,
  ],
  [
    'another name',
    HTTPS,
    failed(60, 'no alternative certificate subject name'),
    'REGISTRY_UNTRUSTED',
    /no alternative/,
  ],
  ['an old certificate', HTTPS, failed(60, 'certificate has expired'), 'REGISTRY_CERTIFICATE_EXPIRED', /has expired/],
  ['a wrong password', HTTPS, answer(401), 'REGISTRY_LOGIN', /refuses the user name or the password/],
  ['no password', HTTP, answer(401), 'REGISTRY_LOGIN', /asks for a login, and the connection has no username/],
])('tells apart: %s', (_, connection, output, code, sentence) => {
  const result = readProbe(connection, output, false);
  expect(result).toMatchObject({ kind: 'problem', code });
  expect(result).toHaveProperty('sentence', expect.stringMatching(sentence));
});

it('follows a registry that wants a token, as Harbor does', () => {
  const challenge = 'www-authenticate: Bearer realm="https://auth.example.com/token",service="harbor"\r\n';
  const result = readProbe(HTTPS, answer(401, challenge), false);
  expect(result).toEqual({ kind: 'token', url: 'https://auth.example.com/token?service=harbor' });
  expect(readProbe(HTTPS, answer(401, challenge), true)).toMatchObject({ code: 'REGISTRY_LOGIN' });
  expect(readProbe(HTTPS, answer(200), true)).toEqual({ kind: 'usable' });
});
