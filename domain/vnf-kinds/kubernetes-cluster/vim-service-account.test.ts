import { expect, it } from 'vitest';
import { apiServerUrl } from './api-server-url.ts';
import { credentialsOf, namespaceNames, vimAccountManifest } from './vim-service-account.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const secret = (data: Record<string, string> | undefined) => JSON.stringify({ kind: 'Secret', ...(data && { data }) });

it('asks for a token that lives as long as the account, and binds the account to the role of a VNF manager', () => {
  const documents = vimAccountManifest()
    .split('---\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));
  expect(documents.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Secret']);
  const [account, role, binding, token] = documents;
  expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name: 'vnflow-vim', namespace: 'kube-system' }]);
  expect(binding.roleRef.name).toBe(role.metadata.name);
  const mayChange = (group: string, resource: string) =>
    role.rules.some(
      ({ apiGroups, resources, verbs }: { apiGroups: string[]; resources: string[]; verbs: string[] }) =>
        apiGroups.includes(group) &&
        (resources.includes(resource) || resources.includes('*')) &&
        verbs.includes('create'),
    );
  expect([mayChange('', 'namespaces'), mayChange('apps', 'deployments'), mayChange('batch', 'jobs')]).toEqual([
    true,
    true,
    true,
  ]);
  const rbac = 'rbac.authorization.k8s.io';
  for (const resource of ['clusterroles', 'clusterrolebindings']) expect(mayChange(rbac, resource)).toBe(false);
  for (const resource of ['nodes', 'persistentvolumes']) expect(mayChange('', resource)).toBe(false);
  expect(
    role.rules.flatMap(({ apiGroups, verbs }: { apiGroups: string[]; verbs: string[] }) => [...apiGroups, ...verbs]),
  ).not.toContain('*');
  expect(token.type).toBe('kubernetes.io/service-account-token');
  expect(token.metadata.annotations['kubernetes.io/service-account.name']).toBe(account.metadata.name);
});

it('reads token and CA, and finds nothing while Kubernetes has not made them yet', () => {
  expect(credentialsOf(secret({ token: base64('a.b.c'), 'ca.crt': base64(CA), namespace: '' }))).toEqual({
    bearer_token: 'a.b.c',
    ssl_ca_cert: CA,
  });
  expect(credentialsOf(secret(undefined))).toBeUndefined();
  expect(credentialsOf(secret({ 'ca.crt': base64(CA) }))).toBeUndefined();
});

it.each([
  ['a token that would break out of a header', { token: base64('a.b.c\r\nX: y'), 'ca.crt': base64(CA) }],
  ['no base64', { token: '§', 'ca.crt': base64(CA) }],
  ['no certificate', { token: base64('a.b.c'), 'ca.crt': base64('x') }],
])('refuses %s without quoting it', (_name, data) => {
  expect(() => credentialsOf(secret(data))).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('a.b.c') }),
  );
});

it('reads the names of namespaces', () => {
  expect(namespaceNames('{"items":[{"metadata":{"name":"default"}}]}')).toEqual(['default']);
  expect(() => namespaceNames('{"kind":"Status"}')).toThrow();
});

it('shows the API at the floating IP, on the port of the endpoint', () => {
  expect(apiServerUrl({ endpoint: '10.10.0.100:16443', floatingIp: '172.24.4.9' })).toBe('https://172.24.4.9:16443');
  expect(apiServerUrl({ endpoint: '10.10.0.231:6443' })).toBe('https://10.10.0.231:6443');
});
