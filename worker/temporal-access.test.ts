import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../activities/registry/certificates.ts';
import { connectionAccess } from '../engine/temporal-access.ts';
import { installQuietRuntime } from '../test/testing/temporal.ts';
import { readConfiguration } from './configuration.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-temporal-access-'));
const authority = createAuthority('the CA of Temporal');
const file = (name: string, content: string) => {
  const at = path.join(directory, name);
  writeFileSync(at, content, { mode: 0o600 });
  return at;
};

/** What a call of Temporal's API came with. */
interface Call {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly client: string | undefined;
}

const calls: Call[] = [];

/** A server of gRPC with TLS that gives each call an empty answer, and notes what calls come with. */
async function startServer(): Promise<Http2SecureServer> {
  const { certificate, privateKey } = issueServerCertificate(authority, ['temporal.example']);
  const tls = { cert: certificate, key: privateKey, requestCert: true, rejectUnauthorized: false };
  const made = createSecureServer(tls);
  made.on('stream', (stream, headers) => {
    const socket = stream.session?.socket as TLSSocket;
    calls.push({
      path: headers[':path'],
      authorization: headers.authorization,
      client: socket.getPeerCertificate().subject?.CN as string | undefined,
    });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end(Buffer.alloc(5)); // an empty message
  });
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

const server = await startServer();
const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const access = (environment: NodeJS.ProcessEnv) => readConfiguration(environment, directory).temporalAccess;

const CLOUD = {
  TEMPORAL_API_KEY_FILE: file('api-key', 'a-key-of-temporal-cloud\n'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.crt', authority.certificate),
  TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
};

/** The server asks for a client certificate; any will do. */
function clientCertificate(): NodeJS.ProcessEnv {
  const { certificate, privateKey } = issueServerCertificate(authority, ['vnflow']);
  return {
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.crt', certificate),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key', privateKey),
  };
}

/** Makes a call as the API does (through the client), and one as a worker does (through its native part). */
async function connectBoth(environment: NodeJS.ProcessEnv): Promise<readonly Call[]> {
  installQuietRuntime();
  calls.length = 0;
  const options = { address, ...connectionAccess(access(environment) ?? {}) };
  const client = await Connection.connect({ ...options, connectTimeout: 3_000 });
  await client.close();
  const ofClient = calls.length;
  const native = await NativeConnection.connect(options);
  await native.close();
  return [calls[0], calls[ofClient]].filter((call) => call !== undefined);
}

it('connects API and worker with TLS and an API key, as Temporal Cloud wants it', async () => {
  const call = expect.objectContaining({ authorization: 'Bearer a-key-of-temporal-cloud', client: undefined });
  expect(await connectBoth(CLOUD)).toEqual([call, call]);
});

it('connects API and worker with a client certificate', async () => {
  const { TEMPORAL_API_KEY_FILE: _, ...tls } = CLOUD;
  const call = expect.objectContaining({ authorization: undefined, client: expect.any(String) });
  expect(await connectBoth({ ...tls, ...clientCertificate() })).toEqual([call, call]);
});

it('connects to no server that another CA has signed', async () => {
  const foreign = {
    ...CLOUD,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('other.crt', createAuthority('another').certificate),
  };
  await expect(connectBoth(foreign)).rejects.toThrow();
});

it('never sends an API key without TLS, and is plain text without any of the variables', () => {
  expect(access({ TEMPORAL_API_KEY: 'key' })).toEqual({ apiKey: 'key', tls: {} });
  expect(access({ TEMPORAL_TLS: 'true' })).toEqual({ tls: {} });
  expect(access({ TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.example' })).toEqual({
    tls: { serverNameOverride: 'temporal.example' },
  });
  expect(access({})).toEqual({});
});

it.each([
  [{ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }, 'TEMPORAL_TLS is false'],
  [{ TEMPORAL_ADDRESS: '10.0.0.7:7233', TEMPORAL_TLS: 'true' }, 'set TEMPORAL_TLS_SERVER_NAME'],
  [{ TEMPORAL_ADDRESS: '[fd00::7]:7233', TEMPORAL_API_KEY: 'key' }, 'set TEMPORAL_TLS_SERVER_NAME'],
  [{ TEMPORAL_TLS: 'maybe' }, 'TEMPORAL_TLS cannot be used'],
  [{ TEMPORAL_TLS_CLIENT_CERT_PATH: '/x' }, 'TEMPORAL_TLS_CLIENT_KEY_PATH'],
  [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere' }, 'TEMPORAL_TLS_SERVER_CA_CERT_PATH: /nowhere cannot be read'],
  [{ VNFLOW_TLS_CERT_FILE: '/x' }, 'VNFLOW_TLS_KEY_FILE'],
  [{ OS_CACERT: '/nowhere' }, 'OS_CACERT: /nowhere'],
  [{ OS_CACERT: file('no-certificate', 'text') }, 'OS_CACERT'],
])('refuses %j', (environment, sentence) => {
  expect(() => access(environment)).toThrow(sentence);
});
