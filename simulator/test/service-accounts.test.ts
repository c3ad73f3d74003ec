import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { completePhase } from './testing/sample-cluster.ts';

const MASTER = '10.10.0.231';
const FLOATING = '172.24.4.3';
const ACCOUNT = `apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: kube-system}
`;
const BINDING = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: robot}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: robot, namespace: kube-system}]
`;
const SECRET = `apiVersion: v1
kind: Secret
metadata: {name: robot, namespace: kube-system, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
`;

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud(1000);
  cloud.floating.set(FLOATING, MASTER);
  cloud.machine('vm-master', MASTER);
  const node = { name: 'master231', address: MASTER };
  await completePhase(cloud, node, { phase: 'prepare', CLUSTER_ENDPOINT: `${MASTER}:6443` });
  await completePhase(cloud, node, { phase: 'init', CLUSTER_ENDPOINT: `${MASTER}:6443`, CERT_SANS: FLOATING });
}, 60_000);
afterAll(() => cloud.stop());

const kubectl = (command: string, stdin = '') =>
  cloud.ssh(MASTER, `sudo kubectl --kubeconfig /etc/kubernetes/admin.conf ${command}`, { stdin });

async function token(): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { stdout } = await kubectl('-n kube-system get secret robot -o json');
    const text: unknown = JSON.parse(stdout).data?.token;
    if (typeof text === 'string') return Buffer.from(text, 'base64').toString('utf8');
  }
  throw new Error('no token');
}

/** Sends a request with a bearer token. @returns the HTTP status, or curl's error message */
async function ask(bearer: string, host = MASTER, what = 'namespaces'): Promise<string> {
  const url = `https://${host}:6443/api/v1/${what}`;
  const command = `sudo curl -sS --cacert /etc/kubernetes/pki/ca.crt -H @- -o /dev/null -w '%{http_code}' ${url}`;
  const { stdout, stderr } = await cloud.ssh(MASTER, command, { stdin: `Authorization: Bearer ${bearer}\n` });
  return stderr.trim() || stdout;
}

it("an account's token comes after its Secret, stays when it is applied again, and may what its binding says", async () => {
  const applied = await kubectl('apply -f -', `${ACCOUNT}---\n${SECRET}`);
  expect(applied.stdout).toBe('serviceaccount/robot created\nsecret/robot created\n');
  const first = await token();
  expect(await ask(first)).toBe('403');
  await kubectl('apply -f -', `${ACCOUNT}---\n${BINDING}---\n${SECRET}`);
  expect(await token()).toBe(first);
  expect(await ask(first)).toBe('200');
  const [header, payload] = first.split('.');
  expect(await ask(`${header}.${payload}.AAAA`)).toBe('401');
});

it("the API server's certificate is for the names that kubeadm was given", async () => {
  expect(await ask(await token(), FLOATING)).toBe('200');
  cloud.floating.set('172.24.4.99', MASTER);
  expect(await ask(await token(), '172.24.4.99')).toContain('no alternative certificate subject name matches');
});

it('a token that was asked for ends by itself and with its account, and may list what its role allows', async () => {
  const view = BINDING.replace('name: cluster-admin', 'name: view').replace('{name: robot}', '{name: viewer}');
  const account = (text: string) => text.replaceAll('name: robot,', 'name: viewer,');
  await kubectl('apply -f -', `${account(ACCOUNT)}---\n${account(view)}`);
  expect((await kubectl('-n kube-system create token nobody')).stderr).toContain('serviceaccounts "nobody" not found');
  expect((await kubectl('-n kube-system create token viewer --duration 5m')).stderr).toContain('less than 10 minutes');
  const tokenFor = async (duration: string) =>
    JSON.parse((await kubectl(`-n kube-system create token viewer --duration ${duration} -o json`)).stdout);
  const given = await tokenFor('24h');
  const short = await tokenFor('600s');
  expect(await ask(given.status.token)).toBe('200');
  expect(await ask(given.status.token, MASTER, 'nodes')).toBe('403');
  const claims = JSON.parse(Buffer.from(given.status.token.split('.')[1], 'base64url').toString('utf8'));
  expect(new Date(claims.exp * 1000).toISOString()).toBe(new Date(given.status.expirationTimestamp).toISOString());
  await expect.poll(() => ask(short.status.token), { timeout: 10_000 }).toBe('401');
  expect(await ask(given.status.token)).toBe('200');
  await kubectl('-n kube-system delete serviceaccount viewer');
  expect(await ask(given.status.token)).toBe('401');
});

it('a token ends with its Secret, and a Secret with its account', async () => {
  const old = await token();
  await kubectl('-n kube-system delete secret robot');
  expect(await ask(old)).toBe('401');
  await kubectl('apply -f -', SECRET);
  const next = await token();
  expect(await ask(next)).toBe('200');
  await kubectl('-n kube-system delete serviceaccount robot');
  expect(await ask(next)).toBe('401');
  expect((await kubectl('-n kube-system get secret robot')).stderr).toContain('secrets "robot" not found');
});
