import { createServer } from 'node:http';
import { Duplex, duplexPair } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import type { NodeContext } from '../node/node-session.ts';
import { createAuthority, issueServerCertificate } from './certificates.ts';
import { RegistryClient } from './registry-client.ts';

const REQUESTS = 20;
const ADDRESS = '10.10.0.9';
const parameters = {
  ssh_cp_name: 'CP1',
  ssh_username: 'ubuntu',
  ssh_password: 'ubuntu',
  tls: true,
  users: [{ name: 'alice', password: 'secret1' }],
};

it('asks a registry with TLS and a login again and again, over channels that are no sockets', async () => {
  const authority = createAuthority('registry');
  const { certificate, privateKey } = issueServerCertificate(authority, [ADDRESS]);
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    request.resume().on('end', () => response.writeHead(200, { 'Content-Length': 2 }).end('{}'));
  });
  const connect = async () => {
    const [channel = new Duplex(), far = new Duplex()] = duplexPair();
    const secure = new TLSSocket(far, { isServer: true, cert: certificate, key: privateKey });
    server.emit(
      'connection',
      secure.on('error', () => far.destroy()),
    );
    return channel;
  };
  const context = {
    node: { nicAddress: ADDRESS },
    parameters,
    input: { vnfInstanceId: 'i1' },
    deps: { secrets: { get: async () => authority } },
    session: { connect, label: 'node' },
    signal: new AbortController().signal,
  };
  await RegistryClient.use(context as unknown as NodeContext, async (registry) => {
    const ask = async () => {
      const { status, content } = await registry.ask({ method: 'GET', path: '/v2/', expect: [200] });
      expect([status, content.toString()]).toEqual([200, '{}']);
    };
    for (let turn = 0; turn < REQUESTS / 2; turn += 1) await Promise.all([ask(), ask()]);
  });
  expect(seen).toEqual(Array(REQUESTS).fill(`Basic ${Buffer.from('alice:secret1').toString('base64')}`));
});
