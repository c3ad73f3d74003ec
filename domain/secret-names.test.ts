import { expect, it } from 'vitest';
import { secretValues, withoutSecrets } from './redaction.ts';
import { isSecretName } from './secret-names.ts';

it.each(
  `password passwd pass db_pass passphrase adminPwd root_pw secret client_secret clientPassword token auth_token authToken
  bootstrap-tokens private_key private-key privateKey PRIVATE_KEY_PEM api_key apiKey APIKEY x-api-key access_key secret_key
  ssh_private_key encryption_key signing-key masterKey certificate_key preSharedKey psk wpa_psk kubeconfig kube_config
  kubeConfig cookie session_cookie snmp_community snmpCommunityString credentials aws_creds bearer Authorization jwt
  otp connection_string database_dsn keytab htpasswd license_key pin`.split(/\s+/),
)('%s is the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

it.each(
  `username name key keys oidc_token_url tokenEndpoint public_key sshPublicKey key_name keyName pass_through bypass
  compass passenger host_key sort_key monkey donkey turkey keyboard keystone_url proxy pod_cidr script_path vim_name
  ssl_ca_cert_hash certificate apt_key_fingerprint image_checksum pinned shipping`.split(/\s+/),
)('%s is not the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

it('finds secrets in lists of names and values, by their text, and inside of secret members', () => {
  const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-1\n-----END OPENSSH PRIVATE KEY-----';
  const value = {
    parameters: [
      { name: 'password', value: 'canary-2' },
      { name: 'zone', value: 'north' },
    ],
    files: { 'id_rsa.txt': pem },
    credentials: { nested: ['canary-3'] },
    note: 'http://u:canary-4@proxy/',
  };
  expect(withoutSecrets(value)).toEqual({
    parameters: [{ name: 'password' }, { name: 'zone', value: 'north' }],
    files: { 'id_rsa.txt': '***' },
    note: 'http://***@proxy/',
  });
  expect(secretValues(value)).toEqual(expect.arrayContaining(['canary-2', pem, 'canary-3', 'canary-4']));
});
