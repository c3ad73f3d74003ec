import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginOperation, completeOperation, instantiateCluster } from './testing/operations.ts';
import { onboardMonolithic } from './testing/packages/monolithic-package.ts';
import { createInstance, guideRequest, type System, settled, startSystem } from './testing/system.ts';

const LIMIT = 240_000;

let system: System;
let vnfdId: string;
let id: string;
beforeAll(async () => {
  // slower than usual: one job is a whole installation, and on a busy machine it would meet its time limit
  system = await startSystem({ speed: 60 });
  vnfdId = await onboardMonolithic(system.http);
}, LIMIT);
afterAll(() => system.stop());

const parameters = () => {
  const { additionalParams } = guideRequest('instantiate-simple.json', system.simulator.authUrl);
  return additionalParams;
};
const cluster = () => {
  const found = system.simulator.nodes.clusters().at(-1);
  if (!found) throw new Error('no cluster');
  return found;
};
const roles = () =>
  Object.keys(cluster().nodes)
    .map((name) => name.replace(/\d.*$/, ''))
    .sort();
const vnfcsOf = async (vduId: string): Promise<{ id: string; vduId: string; vnfcResourceInfoId: string }[]> =>
  (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data.instantiatedVnfInfo.vnfcInfo.filter(
    (vnfc: { vduId: string }) => vnfc.vduId === vduId,
  );
const complete = (task: string, body: object) => completeOperation(system.http, { id, task, body, timeoutMs: LIMIT });
/** Lines of HAProxy's servers on a control-plane node. */
const balanced = (server: string) =>
  (system.simulator.nodes.node(server)?.file('/etc/haproxy/haproxy.cfg') ?? '').match(/^\s+server .*:6443 .*$/gm) ?? [];

it('shows in the plan that the script does everything on a node in one call', async () => {
  const request = guideRequest('instantiate-simple.json', system.simulator.authUrl);
  const { data } = await system.http.post('/vnflow/v1/plan', { vnfdId, operation: 'INSTANTIATE', request });
  expect(data.installScript).toEqual({ path: 'Scripts/install_k8s_cluster.sh', contract: 'monolith' });
  const commands = data.steps.flatMap(({ commands }: { commands: string[] }) => commands);
  expect(commands).toContain('bash install_k8s_cluster.sh -w NODE_IP -i CLUSTER_IP -t … -s …');
  expect(commands.join('\n')).not.toContain('install_k8s_cluster.sh prepare');
});

it(
  'makes a cluster, and keeps what the script prints secret',
  async () => {
    id = await instantiateCluster(system, { vnfdId, timeoutMs: LIMIT });
    expect(roles()).toEqual(['master', 'worker', 'worker']);
    const tokens = Object.entries(cluster().tokens).map(([name, { secret }]) => `${name}.${secret}`);
    expect(tokens.length).toBeGreaterThan(0);
    const operations = await system.http.get('/vnflcm/v2/vnf_lcm_op_occs');
    const operation = operations.data.at(-1).id;
    const timeline = await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${operation}/timeline`);
    const text = JSON.stringify(timeline.data);
    expect(text).toContain('token:***');
    for (const token of tokens) expect(text).not.toContain(token);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  },
  2 * LIMIT,
);

it(
  'scales out and in',
  async () => {
    await complete('scale', { type: 'SCALE_OUT', aspectId: 'workerNode_scale', additionalParams: parameters() });
    expect(roles()).toEqual(['master', 'worker', 'worker', 'worker']);
    await complete('scale', { type: 'SCALE_IN', aspectId: 'workerNode_scale', additionalParams: parameters() });
    expect(roles()).toEqual(['master', 'worker', 'worker']);
  },
  2 * LIMIT,
);

it(
  'heals a worker',
  async () => {
    const [victim] = await vnfcsOf('workerNode');
    await complete('heal', { vnfcInstanceId: [victim?.id], additionalParams: parameters() });
    expect(roles()).toEqual(['master', 'worker', 'worker']);
  },
  2 * LIMIT,
);

it('refuses to restore the only control-plane node, before anything is touched', async () => {
  const [master] = await vnfcsOf('masterNode');
  const answer = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, { vnfcInstanceId: [master?.id] });
  expect(answer.status).toBe(409);
  expect(answer.data.code).toBe('RESTORE_NOT_POSSIBLE');
});

it(
  'terminates',
  async () => {
    await complete('terminate', { terminationType: 'FORCEFUL' });
    expect(system.simulator.nodes.list()).toEqual([]);
  },
  2 * LIMIT,
);

it(
  'makes three control-plane nodes behind a virtual address, and heals the first of them',
  async () => {
    id = await instantiateCluster(system, { vnfdId, flavour: 'complex', timeoutMs: LIMIT });
    expect(roles()).toEqual(['master', 'master', 'master', 'worker', 'worker']);
    const [first] = await vnfcsOf('masterNode');
    await complete('heal', { vnfcInstanceId: [first?.id] });
    expect(roles()).toEqual(['master', 'master', 'master', 'worker', 'worker']);
    expect(cluster().etcd.members.filter(({ started, learner }) => started && !learner)).toHaveLength(3);
    const masters = await vnfcsOf('masterNode');
    const lines = masters.map(({ vnfcResourceInfoId }) => [...balanced(vnfcResourceInfoId)].sort());
    expect(lines[0]).toHaveLength(3);
    expect(lines[1]).toEqual(lines[0]);
    expect(lines[2]).toEqual(lines[0]);
    await complete('terminate', { terminationType: 'FORCEFUL' });
  },
  2 * LIMIT,
);

it(
  'resets a node where the script failed in the middle before it runs again',
  async () => {
    id = await createInstance(system.http, vnfdId);
    system.simulator.nodes.faults.add({
      kind: 'command',
      commandPrefix: 'kubeadm join',
      exitCode: 1,
      stderr: 'error execution phase preflight: no',
      times: 1,
    });
    const body = guideRequest('instantiate-simple.json', system.simulator.authUrl);
    const operation = await beginOperation(system.http, id, 'instantiate', body);
    const failed = await settled(system.http, operation, { timeoutMs: LIMIT });
    expect(failed.operationState).toBe('FAILED_TEMP');
    expect(failed.error.detail).toContain('the install script ended with 0, and the API server does not know the node');
    await system.http.post(`${operation}/retry`);
    const ended = await settled(system.http, operation, { timeoutMs: LIMIT });
    expect(ended.operationState).toBe('COMPLETED');
    expect(roles()).toEqual(['master', 'worker', 'worker']);
  },
  2 * LIMIT,
);

it(
  'goes on by itself when a node is restarted while the script runs there',
  async () => {
    const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
    const restart = setInterval(() => {
      const joins = system.simulator.ledger
        .entries(seq)
        .find(({ kind, what }) => kind === 'command' && what.startsWith('sudo kubeadm join'));
      if (joins === undefined) return;
      clearInterval(restart);
      system.simulator.nodes.hypervisor.power(String(joins.detail?.['server']), 'reboot');
    }, 5);
    id = await instantiateCluster(system, { vnfdId, timeoutMs: LIMIT });
    expect(roles()).toEqual(['master', 'worker', 'worker']);
    const resets = system.simulator.ledger
      .entries(seq)
      .filter(({ kind, what }) => kind === 'command' && what.startsWith('kubeadm reset'));
    expect(resets).toHaveLength(1);
    await complete('terminate', { terminationType: 'FORCEFUL' });
  },
  2 * LIMIT,
);

it(
  'says that apt.kubernetes.io is gone when the script needs it, and installs nothing',
  async () => {
    const old = 'https://apt.kubernetes.io/';
    const oldVnfdId = await onboardMonolithic(system.http, (script) =>
      script.replace(
        'echo "deb [signed-by',
        `echo "deb ${old} kubernetes-xenial main" | tee old.list\n  echo "deb [signed-by`,
      ),
    ).catch((error: unknown) => String(error));
    const other = await createInstance(system.http, oldVnfdId);
    const body = guideRequest('instantiate-simple.json', system.simulator.authUrl);
    const operation = await beginOperation(system.http, other, 'instantiate', body);
    const failed = await settled(system.http, operation, { timeoutMs: LIMIT });
    expect(failed.operationState).toBe('FAILED_TEMP');
    expect(failed.error.code).toBe('PACKAGE_SOURCE_GONE');
    expect(failed.error.detail).toContain('takes Kubernetes from apt.kubernetes.io, which does not exist any more');
  },
  2 * LIMIT,
);
