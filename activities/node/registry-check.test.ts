import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ProbeResult, probeConfig, readProbe } from '../../domain/vnf-kinds/kubernetes-cluster/registry-check.ts';
import type { RegistryConnection } from '../../domain/vnf-kinds/kubernetes-cluster/registry-connections.ts';
import { createAuthority, issueServerCertificate } from '../registry/certificates.ts';

const NAME = 'registry.example.com';
const USER = 'user01';
const PASSWORD = 'a "quoted\\ word: é€';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-registry-check-'));
const authority = createAuthority('authority');
const file = (name: string, text: string) => {
  const at = path.join(directory, name);
  writeFileSync(at, text);
  return at;
};
const trusted = file('ca.crt', authority.certificate);
const other = file('other.crt', createAuthority('another').certificate);
const { certificate: cert, privateKey: key } = issueServerCertificate(authority, [NAME]);

/** A registry that wants a login; below /token/v2/ one that wants a token, as Harbor does. */
const registry: RequestListener = ({ headers, url }, response) => {
  const given = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
  const isRight = given === `${USER}:${PASSWORD}`;
  response.statusCode = isRight ? 200 : 401;
  if (!isRight) response.setHeader('WWW-Authenticate', 'Basic realm="registry"');
  response.end(`{"asked":"${url}"}`);
};
const harbor: RequestListener = ({ url }, response) => {
  const { port } = plain.address() as AddressInfo;
  response.statusCode = 401;
  response.setHeader('WWW-Authenticate', `Bearer realm="http://127.0.0.1:${port}/token",service="${url}"`);
  response.end();
};
const tls = https.createServer({ key, cert }, registry).listen(0, '127.0.0.1');
const plain = http.createServer(registry).listen(0, '127.0.0.1');
const tokens = http.createServer(harbor).listen(0, '127.0.0.1');
const portOf = (server: http.Server | https.Server) => (server.address() as AddressInfo).port;
afterAll(() => {
  for (const server of [tls, plain, tokens]) server.close();
  rmSync(directory, { recursive: true });
});

const secure = (): RegistryConnection => ({
  connection_type: '1',
  server: `${NAME}:${portOf(tls)}`,
  username: USER,
  password: PASSWORD,
  certificate_path: 'Files/ca.crt',
  hosts_string: `127.0.0.1 ${NAME}`,
});
const open = (server: http.Server): RegistryConnection => ({
  connection_type: '0',
  server: `127.0.0.1:${portOf(server)}`,
  username: USER,
  password: PASSWORD,
});

/** Asks with the curl of this machine. */
async function ask(connection: RegistryConnection, authorityFile?: string, tokenUrl?: string): Promise<ProbeResult> {
  const child = spawn('curl', ['--disable', '--config', '-']);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  child.stdin.end(probeConfig(connection, { authorityFile, tokenUrl }));
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? -1)));
  return readProbe(connection, { code, ...said }, tokenUrl !== undefined);
}

describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('the check of a registry, with a real curl', () => {
  it('takes a registry whose certificate and login are right, over HTTPS and HTTP', async () => {
    expect(await ask(secure(), trusted)).toEqual({ kind: 'usable' });
    expect(await ask(open(plain))).toEqual({ kind: 'usable' });
  });

  it.each<[string, Partial<RegistryConnection>, string | undefined, string, RegExp]>([
    ['a wrong password', { password: 'x' }, trusted, 'REGISTRY_LOGIN', /refuses/],
    ['no login', { username: undefined, password: undefined }, trusted, 'REGISTRY_LOGIN', /asks for a login/],
    ['another authority', {}, other, 'REGISTRY_UNTRUSTED', /issuer certificate/],
    ['no authority', {}, undefined, 'REGISTRY_UNTRUSTED', /issuer certificate/],
    ['HTTP to HTTPS', { connection_type: '0' }, undefined, 'REGISTRY_UNREACHABLE', /over HTTP/],
    ['a dead port', { server: `${NAME}:1` }, trusted, 'REGISTRY_UNREACHABLE', /connect/],
    ['an unknown name', { server: 'no.invalid:1' }, trusted, 'REGISTRY_UNREACHABLE', /resolve host/],
  ])('tells %s apart', async (_, more, authorityFile, code, sentence) => {
    const result = await ask({ ...secure(), ...more }, authorityFile);
    expect(result).toEqual({ kind: 'problem', code, sentence: expect.stringMatching(sentence) });
  });

  it('tells another name apart, and HTTPS to a registry that speaks HTTP', async () => {
    const byAddress = { ...secure(), server: `127.0.0.1:${portOf(tls)}` };
    expect(await ask(byAddress, trusted)).toMatchObject({ code: 'REGISTRY_UNTRUSTED' });
    const toHttp = { ...secure(), server: `${NAME}:${portOf(plain)}` };
    expect(await ask(toHttp, trusted)).toMatchObject({ sentence: expect.stringContaining('connection_type 0') });
  });

  it('gets a token where the registry sends it, and sees whether it gets one', async () => {
    const first = await ask(open(tokens));
    expect(first).toMatchObject({ kind: 'token' });
    const url = first.kind === 'token' ? first.url : '';
    expect(await ask(open(tokens), undefined, url)).toEqual({ kind: 'usable' });
    expect(await ask({ ...open(tokens), password: 'x' }, undefined, url)).toMatchObject({ code: 'REGISTRY_LOGIN' });
  });
});
