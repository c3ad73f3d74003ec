import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mergeKubeconfig, readKubeconfig } from './kubeconfig-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const answer = (token: string) => `# role edit, valid until 2026-11-22T12:00:00Z
apiVersion: v1
kind: Config
clusters: [{name: core-1, cluster: {server: "https://10.10.0.50:16443", certificate-authority-data: QQ==}}]
users: [{name: anna@core-1, user: {token: ${token}}}]
contexts: [{name: core-1, context: {cluster: core-1, user: anna@core-1}}]
current-context: core-1
`;

it('adds a context beside those of the user, replaces its own, and lets nobody else read the file', () => {
  const file = path.join(directory, 'sub', 'config');
  const environment = { KUBECONFIG: `${file}:/never/read` };
  expect(mergeKubeconfig(environment, readKubeconfig(answer('a.b.c'), undefined))).toBe(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const kept = parse(readFileSync(file, 'utf8'));
  const mine = { name: 'mine', user: { token: 'x' } };
  writeFileSync(file, JSON.stringify({ ...kept, users: [mine, ...kept.users], preferences: { colors: true } }));
  mergeKubeconfig(environment, readKubeconfig(answer('d.e.f'), undefined));
  const merged = parse(readFileSync(file, 'utf8'));
  expect(merged.users).toEqual([mine, { name: 'anna@core-1', user: { token: 'd.e.f' } }]);
  expect(merged).toMatchObject({ preferences: { colors: true }, 'current-context': 'core-1' });
  expect(merged.contexts).toHaveLength(1);
});

it('leaves a file alone that is no kubeconfig, and an answer that is none is no file', () => {
  const file = path.join(directory, 'config');
  writeFileSync(file, 'clusters: 7\n');
  expect(() => mergeKubeconfig({ KUBECONFIG: file }, readKubeconfig(answer('a.b.c'), undefined))).toThrow(
    /stays as it is/,
  );
  expect(readFileSync(file, 'utf8')).toBe('clusters: 7\n');
  expect(() => readKubeconfig('<html>', undefined)).toThrow(/no kubeconfig/);
});

it('takes another address of the API server where the user knows a better one', () => {
  const { text, note } = readKubeconfig(answer('a.b.c'), 'https://172.24.4.10:16443');
  expect(parse(text).clusters[0].cluster).toEqual({
    server: 'https://172.24.4.10:16443',
    'certificate-authority-data': 'QQ==',
  });
  expect([text.split('\n')[0], note]).toEqual([
    '# role edit, valid until 2026-11-22T12:00:00Z',
    'role edit, valid until 2026-11-22T12:00:00Z',
  ]);
});
