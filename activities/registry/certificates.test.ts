import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from './certificates.ts';

const NAMES = ['registry9', '127.0.0.1', '172.24.4.9', 'fd00::9', 'images.example.org'];
const authority = createAuthority('vnflow registry');
const issued = issueServerCertificate(authority, NAMES);

it('is for every name and address, and no other, as long as the CA', () => {
  const certificate = new X509Certificate(issued.certificate);
  const ca = new X509Certificate(authority.certificate);
  const isFor = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  expect([...NAMES, '172.24.4.10', 'other.example.org'].filter((name) => !isFor(name))).toEqual([
    '172.24.4.10',
    'other.example.org',
  ]);
  expect([certificate.ca, ca.ca, certificate.checkIssued(ca), certificate.verify(ca.publicKey)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(certificate.validTo).toBe(ca.validTo);
  expect(Date.parse(certificate.validTo) - Date.now()).toBeGreaterThan(9 * 365 * 86_400_000);
});

it('is accepted by TLS of Node for an address in it, and by nothing that trusts another CA', async () => {
  const server = createServer({ key: issued.privateKey, cert: issued.certificate }, (_, response) =>
    response.end('yes'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (ca: string) =>
    new Promise<string>((resolve) => {
      get({ host: '127.0.0.1', port, ca, agent: false }, (response) => resolve(String(response.statusCode))).on(
        'error',
        (error: NodeJS.ErrnoException) => resolve(error.code ?? ''),
      );
    });
  try {
    expect(await ask(authority.certificate)).toBe('200');
    expect(await ask(createAuthority('vnflow registry').certificate)).toMatch(/SIGNATURE|UNABLE/);
  } finally {
    server.close();
  }
});

it('passes the strict check of openssl, where there is one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-ca-'));
  try {
    const files = { ca: path.join(folder, 'ca.crt'), own: path.join(folder, 'own.crt') };
    writeFileSync(files.ca, authority.certificate);
    writeFileSync(files.own, issued.certificate);
    const words = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', files.ca, files.own];
    expect(run('openssl', words)).toMatch(/own.crt: OK|no openssl/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function run(program: string, words: readonly string[]): string {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `no ${program}`;
    return String((error as { readonly stderr?: string }).stderr);
  }
}
