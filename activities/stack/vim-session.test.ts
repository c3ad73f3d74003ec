import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { rootCertificates } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { createHostRules } from '../../network/host-rules.ts';
import { recorded } from '../../test/testing/openstack/recorded-cloud.ts';
import { problemOf } from '../../test/testing/problem-of.ts';
import { createAuthority, issueServerCertificate } from '../registry/certificates.ts';
import { vimSession } from './vim-session.ts';

const authority = createAuthority('the CA of the cloud');
const other = createAuthority('another CA');
const { certificate, privateKey } = issueServerCertificate(authority, ['127.0.0.1']);
const { body } = recorded('keystone-token-201');
const token = JSON.stringify(body).replace(/"expires_at": ?"[^"]*"/, '"expires_at":"2999-01-01T00:00:00.000000Z"');
const keystone = createServer({ cert: certificate, key: privateKey }, (_, response) =>
  response.writeHead(201, { 'X-Subject-Token': 'a-token' }).end(token),
);
keystone.listen(0, '127.0.0.1');
await once(keystone, 'listening');
const endpoint = `https://127.0.0.1:${(keystone.address() as AddressInfo).port}/v3`;
afterAll(() => {
  keystone.closeAllConnections();
  keystone.close();
});

const vimHosts = createHostRules({ trusted: ['127.0.0.1'] });
const accessInfo = { username: 'u', password: 'p', project: 'nfv' };

/** Logs in to the VIM. */
function logIn(interfaceInfo: Record<string, unknown>, openstackCa?: readonly string[]): Promise<string> {
  const info = { vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3', interfaceInfo: { endpoint, ...interfaceInfo }, accessInfo };
  return vimSession({ vimHosts, openstackCa }, { id: 'vim1', info }).projectId();
}

it.each([
  ['trustedCertificates, as SOL003', { trustedCertificates: [other.certificate, authority.certificate] }],
  ['ssl_ca_cert, as Tacker', { ssl_ca_cert: authority.certificate }],
  ['caCertificate', { caCertificate: authority.certificate }],
])('checks the certificate of a VIM with the CA in %s', async (_, interfaceInfo) => {
  expect(await logIn(interfaceInfo)).toMatch(/^[0-9a-f]{32}$/);
});

it('checks the certificate of a VIM without a CA of its own with the CA of the operator', async () => {
  const openstackCa = [...rootCertificates, authority.certificate];
  expect(await logIn({}, openstackCa)).toMatch(/^[0-9a-f]{32}$/);
  expect(await logIn({ ssl_ca_cert: 'None' }, openstackCa)).toMatch(/^[0-9a-f]{32}$/);
});

it('refuses a VIM whose certificate another CA has signed, and says what is missing', async () => {
  for (const attempt of [logIn({}), logIn({ ssl_ca_cert: other.certificate }, [authority.certificate])]) {
    const { code, message } = await problemOf(attempt);
    expect([code, message]).toEqual(['VIM_UNREACHABLE', expect.stringContaining('interfaceInfo.ssl_ca_cert')]);
  }
  expect(await logIn({ skipCertificateVerification: true })).toMatch(/^[0-9a-f]{32}$/);
});
