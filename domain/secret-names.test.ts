import { expect, it } from 'vitest';
import { secretValues, withoutSecrets } from './redaction.ts';
import { isSecretName } from './secret-names.ts';

it.each(
  `password passwd pass db_pass passphrase adminPwd root_pw secret client_secret clientPassword token auth_token authToken
  bootstrap-tokens private_key private-key privateKey PRIVATE_KEY_PEM api_key apiKey APIKEY x-api-key access_key secret_key
  ssh_private_key encryption_key signing-key masterKey certificate_key preSharedKey psk wpa_psk kubeconfig kube_config
  kubeConfig cookie session_cookie snmp_community snmpCommunityString credentials aws_creds bearer Authorization jwt
  otp connection_string database_dsn keytab htpasswd license_key pin pass1 token1 token_value accessTokenV2 dbpass sshpass
  pass_hash passwort auth basic_auth x-auth access_tok sshkey id_rsa id_ed25519 privkey tls_key_data keyMaterial
  aes_key_b64 unseal_keys_b64 mnemonic pincode pin_code puk webhook_url presigned_url comm_string psk2 kubeconf`.split(
    /\s+/,
  ),
)('%s is the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

it.each(
  `username name key keys oidc_token_url tokenEndpoint public_key sshPublicKey key_name keyName pass_through bypass
  compass passenger host_key sort_key monkey donkey turkey keyboard keystone_url proxy pod_cidr script_path vim_name
  auth_url auth_mode author authority monkey lcm-operation-user-data lcm-operation-user-data-class seed_nodes vnfdId v2
  data value code ssl_ca_cert_hash certificate apt_key_fingerprint image_checksum pinned shipping`.split(/\s+/),
)('%s is not the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

it.each([
  'DB_PASSWORD=canary',
  '{"password": "canary"}',
  'login with password: canary',
  'run --token canary',
  'https://host/path?token=canary&x=1',
  'Authorization: Bearer canary-canary',
  '-----BEGIN PGP PRIVATE KEY BLOCK-----',
  'PuTTY-User-Key-File-3: ssh-ed25519',
  `ghp_${'a1'.repeat(18)}`,
  'AKIAIOSFODNN7EXAMPLE',
])('%s is a secret whatever its name is', (text) => {
  expect(withoutSecrets({ note: text })).toEqual({ note: '***' });
});

it.each([
  'no password',
  'the token of the VIM ends tomorrow',
  'http://proxy:3128',
  './UserData/k8s_cluster_user_data.py',
  'bearer of good news',
])('%s is shown', (text) => {
  expect(withoutSecrets({ note: text })).toEqual({ note: text });
});

it.each([
  { Name: 'password', Value: 'canary' },
  { id: 'db_password', value: 'canary' },
  { type: 'password', data: 'canary' },
  { parameter_name: 'token', parameter_value: 'canary' },
])('a value beside the name of a secret is none of the shown ones: %j', (pair) => {
  expect(JSON.stringify(withoutSecrets(pair))).not.toContain('canary');
});

it('finds secrets in lists of names and values, by their text, and inside of secret members', () => {
  const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-1\n-----END OPENSSH PRIVATE KEY-----';
  const value = {
    parameters: [
      { name: 'password', value: 'canary-2' },
      { name: 'zone', value: 'north' },
    ],
    files: { 'login.txt': pem },
    credentials: { nested: ['canary-3'] },
    note: 'http://u:canary-4@proxy/',
  };
  expect(withoutSecrets(value)).toEqual({
    parameters: [{ name: 'password' }, { name: 'zone', value: 'north' }],
    files: { 'login.txt': '***' },
    note: 'http://***@proxy/',
  });
  expect(secretValues(value)).toEqual(expect.arrayContaining(['canary-2', pem, 'canary-3', 'canary-4']));
});
