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
  await admin('kubectl delete deployment,poddisruptionbudget --all');
  for (const name of WORKERS) await admin(`kubectl uncordon ${name}`);
});

const elapsed = () => cloud.nodes.clusters()[0] && cloud.entries().at(-1)?.elapsed;

async function deploy(replicas: number, budget?: string): Promise<void> {
  const labels = '{app: web}';
  const deployment = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: ${replicas}\n  selector: {matchLabels: ${labels}}\n  template: {metadata: {labels: ${labels}}, spec: {containers: [{name: web, image: nginx}]}}\n`;
  const pdb = `---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: ${labels}}, ${budget}}\n`;
  expect(await admin('kubectl apply -f -', deployment + (budget === undefined ? '' : pdb))).toMatchObject({ code: 0 });
  const ready = `kubectl wait --for=condition=Ready pod -l app=web --timeout=3000s`;
  expect(await admin(ready)).toMatchObject({ code: 0 });
}

/** The nodes of the deployment's pods. */
async function places(): Promise<string[]> {
  const { stdout } = await admin('kubectl get pods -l app=web -o jsonpath={.items[*].spec.nodeName}');
  return stdout.trim().split(' ').filter(Boolean).sort();
}

it('pods of a deployment spread over the workers, and come back elsewhere when their node is drained', async () => {
  await deploy(3);
  expect(await places()).toEqual([...WORKERS]);
  const drained = await admin('kubectl drain worker21 --ignore-daemonsets --timeout=60s');
  expect(drained.code).toBe(0);
  expect(drained.stdout).toMatch(
    /^node\/worker21 cordoned\nevicting pod default\/(web-\S+)\npod\/\1 evicted\nnode\/worker21 drained\n$/,
  );
  expect(drained.stderr).toMatch(
    /^Warning: ignoring DaemonSet-managed Pods: kube-system\/kube-proxy-\w+, kube-system\/cilium-/,
  );
  expect(await places()).toHaveLength(3);
  expect(await places()).not.toContain('worker21');
  expect((await admin('kubectl get deployment web')).stdout).toMatch(/^web +\d\/3 +3 +\d /m);
});

it('without --ignore-daemonsets, and bare pods without --force, a drain refuses in the words of kubectl', async () => {
  const refused = await admin('kubectl drain worker22');
  expect(refused).toMatchObject({ code: 1, stdout: 'node/worker22 cordoned\n' });
  expect(refused.stderr).toMatch(
    /^error: unable to drain node "worker22" due to error:(cannot delete DaemonSet-managed Pods \(use --ignore-daemonsets to ignore\): kube-system\/\S+, kube-system\/\S+), continuing command\.\.\.\nThere are pending nodes to be drained:\n worker22\n\1\n$/,
  );
  const bare =
    'apiVersion: v1\nkind: Pod\nmetadata: {name: bare}\nspec: {nodeName: worker22, containers: [{image: x}]}\n';
  await admin('kubectl apply -f -', bare);
  const kept = await admin('kubectl drain worker22 --ignore-daemonsets');
  expect(kept.stderr).toContain('cannot delete Pods declare no controller (use --force to override): default/bare');
  expect((await admin('kubectl drain worker22 --ignore-daemonsets --force')).stdout).toContain('pod/bare evicted');
  expect((await admin('kubectl get pod bare')).stderr).toContain('pods "bare" not found');
});

it('a budget that allows nothing: eviction is repeated every 5 s, and given up when the time is over', async () => {
  await deploy(1, 'minAvailable: 1');
  expect((await admin('kubectl get pdb web')).stdout).toMatch(
    /^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\nweb +1 +N\/A +0 /,
  );
  const [node = ''] = await places();
  const before = elapsed() ?? 0;
  const blocked = await admin(`kubectl drain ${node} --ignore-daemonsets --timeout=900s`);
  expect(blocked.code).toBe(1);
  const again =
    /error when evicting pods\/"web-\S+" -n "default" \(will retry after 5s\): Cannot evict pod as it would violate the pod's disruption budget\./g;
  expect(blocked.stderr.match(again)?.length).toBeGreaterThanOrEqual(4);
  expect(blocked.stderr).toMatch(/error when evicting pods\/"web-\S+" -n "default": global timeout reached: 900s\n$/);
  expect((elapsed() ?? 0) - before).toBeLessThan(5000);
  expect(await places()).toEqual([node]);
  await admin('kubectl delete pdb web');
  expect(await admin(`kubectl drain ${node} --ignore-daemonsets --timeout=20s`)).toMatchObject({ code: 0 });
});

it('a budget that says 50 % lets one of two go; the drain waits while it allows nothing, and completes when it does', async () => {
  await admin('kubectl cordon worker22');
  await admin('kubectl cordon worker23');
  await deploy(2, 'minAvailable: 2');
  expect(await places()).toEqual(['worker21', 'worker21']);
  await admin('kubectl uncordon worker22');
  const draining = admin('kubectl drain worker21 --ignore-daemonsets --timeout=90000s');
  await admin('sleep 3000');
  await admin('kubectl delete pdb web');
  const half =
    'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, maxUnavailable: 50%}\n';
  await admin('kubectl apply -f -', half);
  const drained = await draining;
  expect(drained.code).toBe(0);
  expect(drained.stderr).toContain(
    "(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.",
  );
  await admin('kubectl wait --for=condition=Ready pod -l app=web --timeout=3000s');
  expect(await places()).toEqual(['worker22', 'worker22']);
  expect((await admin('kubectl get pdb web')).stdout).toMatch(/^web +N\/A +50% +1 /m);
});

it('pods of a dead machine never end: kubectl waits until its time-out, or skips them if its options say so', async () => {
  await admin('kubectl cordon worker22');
  await deploy(2);
  cloud.nodes.hypervisor.power('server-vm-worker21', 'stop');
  await admin('kubectl wait --for=condition=Ready=Unknown node/worker21 --timeout=3000s');
  const waited = await admin('kubectl drain worker21 --ignore-daemonsets --timeout=30s');
  expect(waited.stderr).toMatch(/error when waiting for pod "web-\S+" terminating: global timeout reached: 30s\n$/);
  const forced =
    'kubectl drain worker21 --ignore-daemonsets --disable-eviction --skip-wait-for-delete-timeout=1 --timeout=30s';
  const skipped = await admin(forced);
  expect(skipped).toMatchObject({ code: 0 });
  expect(skipped.stdout).toMatch(/pod default\/web-\S+ has DeletionTimestamp older than 1 seconds, skipping/);
  expect(await places()).toEqual(['worker23', 'worker23']);
});
