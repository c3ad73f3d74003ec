import { expect, it } from 'vitest';
import { apiServerUrl } from './api-server-url.ts';
import { namespaceNames, readVimToken, vimAccountManifest } from './vim-service-account.ts';

const tokenWith = (claims: object | string) =>
  `head.${Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims)).toString('base64url')}.sign`;

it('makes no token that never ends, and binds the account to the role of a VNF manager', () => {
  const documents = vimAccountManifest()
    .split('---\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));
  expect(documents.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding']);
  const [, role, binding] = documents;
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
});

it('reads from a token when it ends', () => {
  const token = tokenWith({ exp: 1_800_000_000 });
  expect(readVimToken(`${token}\n`)).toEqual({ token, expiresAt: '2027-01-15T08:00:00.000Z' });
  expect(readVimToken(tokenWith({ sub: 'x' }))).toEqual({ token: tokenWith({ sub: 'x' }) });
});

it.each([
  ['a token that would break out of a header', `${tokenWith({})}\r\nX: y`],
  ['no claims', tokenWith('no JSON')],
  ['an end that is no time', tokenWith({ exp: 'soon' })],
  ['an empty answer', ''],
])('refuses %s without quoting it', (_name, text) => {
  expect(() => readVimToken(text)).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/head\./) }));
});

it('reads the names of namespaces', () => {
  expect(namespaceNames('{"items":[{"metadata":{"name":"default"}}]}')).toEqual(['default']);
  expect(() => namespaceNames('{"kind":"Status"}')).toThrow();
});

it('shows the API at the floating IP, on the port of the endpoint', () => {
  expect(apiServerUrl({ endpoint: '10.10.0.100:16443', floatingIp: '172.24.4.9' })).toBe('https://172.24.4.9:16443');
  expect(apiServerUrl({ endpoint: '10.10.0.231:6443' })).toBe('https://10.10.0.231:6443');
});
