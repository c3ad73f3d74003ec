import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../activities/registry/certificates.ts';
import { startFileApi } from '../test/testing/api/file-api.ts';
import { startApi } from './start-api.ts';

const test = await startFileApi();
const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-tls-'));
afterAll(() => rmSync(directory, { recursive: true }));

const authority = createAuthority('the CA of the test');
const files = { certFile: path.join(directory, 'tls.crt'), keyFile: path.join(directory, 'tls.key') };

/** Writes a new certificate for loopback and its key. @returns the certificate */
function renew(): string {
  const { certificate, privateKey } = issueServerCertificate(authority, ['127.0.0.1']);
  writeFileSync(files.keyFile, privateKey);
  writeFileSync(files.certFile, certificate);
  return certificate;
}

interface Seen {
  readonly status: number | undefined;
  readonly certificate: string;
}

/** Asks with a new connection. The client trusts the CA of the test only. */
function look(url: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${url}/livez`, { ca: authority.certificate, agent: false }, (response) => {
      const { raw } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate();
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode, certificate: raw.toString('base64') }));
    });
    request.once('error', reject).end();
  });
}

const bodyOf = (pem: string) => pem.replaceAll(/-----[^-]+-----|\s/g, '');

it('serves TLS with the certificate that its files have now, and with the former one while they cannot be used', async () => {
  const first = renew();
  const api = await startApi({ deps: test.deps, host: '127.0.0.1', port: 0, tls: files, tlsLookEveryMs: 20 });
  try {
    expect(api.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await look(api.url)).toEqual({ status: 200, certificate: bodyOf(first) });
    writeFileSync(files.keyFile, createAuthority('another key').privateKey);
    await expect.poll(() => test.logged.join('')).toContain('the new certificate cannot be used');
    await delay(60);
    expect(await look(api.url)).toEqual({ status: 200, certificate: bodyOf(first) });
    const second = renew();
    await expect.poll(async () => (await look(api.url)).certificate).toBe(bodyOf(second));
    expect(test.logged.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
  } finally {
    await api.stop();
  }
});

it('does not start with a key that belongs to another certificate, and names the files', async () => {
  renew();
  writeFileSync(files.keyFile, createAuthority('another key').privateKey);
  const started = startApi({ deps: test.deps, host: '127.0.0.1', port: 0, tls: files });
  await expect(started).rejects.toThrow(files.certFile);
});

/** Sends a request with a `Host` of its own, as the browser does for a page whose name has the address 127.0.0.1. */
function statusFor(host: string, at: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${test.api.url}${at}`, { headers: { Host: host } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    request.once('error', reject).end();
  });
}

it('refuses a request with two Host headers', async () => {
  const { hostname, port } = new URL(test.api.url);
  const socket = connect(Number(port), hostname);
  socket.end('GET /livez HTTP/1.1\r\nHost: localhost\r\nhost: attacker.example\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*2 Host headers/);
});

it.each(['attacker.example', 'attacker.example:9890', '127.0.0.1.attacker.example', 'localhost.attacker.example'])(
  'refuses on loopback a request for the host "%s"',
  async (host) => {
    for (const at of ['/livez', '/readyz', '/metrics', '/vnflcm/v2/vnf_instances'])
      expect(await statusFor(host, at), at).toBe(421);
  },
);

it.each([
  '127.0.0.1:9890',
  '[::1]:9890',
  'localhost:9890',
  'LOCALHOST.',
  '10.0.0.7',
  'vnfm.example',
  'vnfm.example:443',
])('answers on loopback a request for the host "%s"', async (host) => {
  expect(await statusFor(host, '/livez')).toBe(200);
});
