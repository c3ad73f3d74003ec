import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../../activities/registry/certificates.ts';
import { createVnfm } from './client.ts';
import { connectionFrom } from './connection.ts';
import { listOpOccs } from './operations.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-login-'));
const file = (name: string, text: string) => {
  const at = path.join(directory, name);
  writeFileSync(at, text);
  return at;
};

/** Keystone and vnflow behind one address, with a certificate of a CA that nobody knows. */
const authority = createAuthority('the CA of the site');
const { certificate, privateKey } = issueServerCertificate(authority, ['127.0.0.1']);
const logins: unknown[] = [];
const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  if (request.url !== '/v3/auth/tokens') return response.end('[]');
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    logins.push(JSON.parse(body).auth);
    response.writeHead(201, { 'X-Subject-Token': 'a-token' }).end('{}');
  });
  return undefined;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

const OS_CACERT = file('ca.crt', authority.certificate);
const site = { VNFM_URL: url, OS_AUTH_URL: `${url}/v3`, OS_CACERT };

/** Logs in as the environment says, and asks the API. @returns what Keystone was sent */
async function logIn(environment: NodeJS.ProcessEnv): Promise<unknown> {
  expect(await listOpOccs(createVnfm(connectionFrom(environment, '/nonexistent')))).toEqual([]);
  return logins.at(-1);
}

it('trusts the CA of OS_CACERT for Keystone and the API, and says so where it is missing', async () => {
  const user = { OS_USERNAME: 'u', OS_PASSWORD_FILE: file('password', 'p\n'), OS_PROJECT_NAME: 'n' };
  expect(await logIn({ ...site, ...user })).toMatchObject({
    identity: { password: { user: { name: 'u', password: 'p' } } },
  });
  const { OS_CACERT: _, ...unknown } = site;
  await expect(logIn({ ...unknown, ...user })).rejects.toThrow(/UNABLE_TO_VERIFY_LEAF_SIGNATURE.*OS_CACERT/);
  await expect(logIn({ ...site, ...user, OS_CACERT: '/nowhere' })).rejects.toThrow('OS_CACERT: /nowhere');
});

it('logs in with an application credential, by id or by name, without a project of its own', async () => {
  const byId = { OS_APPLICATION_CREDENTIAL_ID: 'id1', OS_APPLICATION_CREDENTIAL_SECRET: 's' };
  expect(await logIn({ ...site, ...byId })).toEqual({
    identity: { methods: ['application_credential'], application_credential: { id: 'id1', secret: 's' } },
  });
  const byName = { OS_APPLICATION_CREDENTIAL_NAME: 'ci', OS_APPLICATION_CREDENTIAL_SECRET: 's', OS_USERNAME: 'u' };
  expect(await logIn({ ...site, ...byName })).toEqual({
    identity: {
      methods: ['application_credential'],
      application_credential: { name: 'ci', user: { name: 'u', domain: { name: 'Default' } }, secret: 's' },
    },
  });
  await expect(logIn({ ...site, OS_APPLICATION_CREDENTIAL_ID: 'id1' })).rejects.toThrow(
    '_CREDENTIAL_SECRET is not set',
  );
});

it('takes a cloud of clouds.yaml, with its secret in secure.yaml', async () => {
  const OS_CLIENT_CONFIG_FILE = file(
    'clouds.yaml',
    `clouds:
  site:
    auth: { auth_url: ${url}/v3, username: u, project_name: n, user_domain_name: Users }
    cacert: ${OS_CACERT}
  other: {}
`,
  );
  file('secure.yaml', 'clouds: { site: { auth: { password: 12345678 } } }\n');
  const environment = { VNFM_URL: url, OS_CLOUD: 'site', OS_CLIENT_CONFIG_FILE };
  expect(await logIn(environment)).toEqual({
    identity: {
      methods: ['password'],
      password: { user: { name: 'u', domain: { name: 'Users' }, password: '12345678' } },
    },
    scope: { project: { name: 'n', domain: { name: 'Default' } } },
  });
  await expect(logIn({ ...environment, OS_CLOUD: 'sit' })).rejects.toThrow('has no such cloud; it has site, other.');
  const nowhere = { ...environment, OS_CLIENT_CONFIG_FILE: '/nowhere' };
  await expect(logIn(nowhere)).rejects.toThrow('there is no file /nowhere');
});
