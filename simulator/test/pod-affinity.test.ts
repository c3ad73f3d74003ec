import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { type Admin, makeCluster, WORKERS } from './testing/sample-cluster.ts';

let cloud: TestCloud;
let admin: Admin;
beforeAll(async () => {
  cloud = await startTestCloud(1000);
  admin = await makeCluster(cloud);
}, 60_000);
afterAll(() => cloud.stop());
beforeEach(async () => {
  await admin('kubectl delete deployment --all');
  for (const name of WORKERS) await admin(`kubectl label node ${name} CIS-node- kubernetes.io/zone-`);
});

/** Labels each worker with its host. */
async function onHosts(...hosts: string[]): Promise<void> {
  for (const [index, name] of WORKERS.entries()) await admin(`kubectl label node ${name} CIS-node=${hosts[index]}`);
}

const SELECTOR = 'matchExpressions: [{key: app, operator: In, values: [web]}]';
const deployment = (replicas: number, topologyKey = 'CIS-node') => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: ${topologyKey}, labelSelector: {${SELECTOR}}}]}}
`;

/**
 * The hosts of the pods as `kubectl get pods -o wide` and the labels of the nodes show them; `<none>` for a pod
 * that waits.
 */
async function hostsOfPods(): Promise<string[]> {
  const { stdout } = await admin('kubectl get pods -o wide --no-headers');
  const nodes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).at(-1) ?? '');
  const labels = await admin('kubectl get node --show-labels');
  const hostOf = (node: string) => new RegExp(`^${node} .*CIS-node=([^,\\s]+)`, 'm').exec(labels.stdout)?.[1];
  return nodes.map((node) => hostOf(node) ?? node).sort();
}

it('puts pods with podAntiAffinity on different hosts; those for which there is none wait', async () => {
  await onHosts('compute-1', 'compute-1', 'compute-2');
  await admin('kubectl apply -f -', deployment(3));
  expect(await hostsOfPods()).toEqual(['<none>', 'compute-1', 'compute-2']);
  await admin('kubectl label node worker22 CIS-node=compute-3 --overwrite');
  await expect.poll(hostsOfPods).toEqual(expect.arrayContaining(['compute-2', expect.stringMatching(/compute-[13]/)]));
  expect(await hostsOfPods()).not.toContain('<none>');
});

it('pods on nodes without the label are in no topology', async () => {
  await admin('kubectl apply -f -', deployment(4));
  const { stdout } = await admin('kubectl get pods -o jsonpath={.items[*].spec.nodeName}');
  expect(stdout.trim().split(' ')).toHaveLength(4);
});

it('server-side apply sets the labels of many nodes at once, and makes no node', async () => {
  await admin('kubectl label node worker21 CIS-node=by-hand');
  const { stdout } = await admin(
    `kubectl get nodes -o jsonpath='{range .items[*]}{.metadata.name}={.metadata.uid} {end}'`,
  );
  const uids = Object.fromEntries(
    stdout
      .trim()
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  const node = (name: string, uid: string, labels: object) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid, labels },
  });
  const apply = (items: object[], ...options: string[]) =>
    admin(
      `kubectl apply --server-side --field-manager vnf ${options.join(' ')} -f -`,
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  const both = WORKERS.map((name, at) =>
    node(name, uids[name] ?? '', { 'CIS-node': `compute-${at}`, 'kubernetes.io/zone': 'nova' }),
  );
  expect(await apply(both)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Apply failed with 1 conflict: conflict with "kubectl-label" using v1: .metadata.labels.CIS-node',
    ),
  });
  expect(await apply(both, '--force-conflicts')).toMatchObject({
    code: 0,
    stdout: WORKERS.map((name) => `node/${name} serverside-applied\n`).join(''),
  });
  const labels = async () => (await admin('kubectl get node worker21 worker22 -L CIS-node,kubernetes.io/zone')).stdout;
  expect(await labels()).toMatch(/worker21 .* compute-0 +nova\n.*worker22 .* compute-1 +nova\n/);
  await apply([node('worker22', uids['worker22'] ?? '', { 'CIS-node': 'compute-1' })]);
  expect(await labels()).toMatch(/worker22 .* compute-1 *\n/);
  expect(await apply([node('worker99', 'x', {})])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'uid mismatch: the provided object specified uid x, and no existing object was found',
    ),
  });
  expect(await apply([node('worker22', 'x', {})])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('field is immutable'),
  });
  expect((await admin('kubectl get nodes -o name')).stdout).not.toContain('worker99');
});
