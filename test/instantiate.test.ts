import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { runKubectl } from './testing/kubectl.ts';
import { completeOperation, instantiateCluster } from './testing/operations.ts';
import { typeVnflow } from './testing/remedy.ts';
import { onboardSample, type System, startSystem } from './testing/system.ts';

let system: System;
let vnfdId: string;
beforeAll(async () => {
  system = await startSystem();
  vnfdId = await onboardSample(system.http);
});
afterAll(() => system.stop());

it("makes a Kubernetes cluster of the guide's request, and leaves nothing when it is terminated", async () => {
  const before = system.simulator.fingerprint();
  const id = await instantiateCluster(system, { vnfdId });
  const { data: instance } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  expect(instance.instantiationState).toBe('INSTANTIATED');
  expect(
    instance.instantiatedVnfInfo.vnfcResourceInfo.map(
      ({ vduId, metadata }: { vduId: string; metadata: { vdu_idx: number } }) => [vduId, metadata.vdu_idx],
    ),
  ).toEqual([['workerNode', 1], expect.anything(), expect.anything()]);
  // the whole log of a step is there after the operation, and a person needs no whole id for it
  const tail = (await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${await newest(id)}/timeline`)).data.steps.find(
    ({ id: stepId }: { id: string }) => stepId === 'prepareNode-masterNode-0',
  ).logTail;
  const log = await typeVnflow(system, 'logs', id.slice(0, 8), 'prepareNode-masterNode-0');
  expect(log.length).toBeGreaterThan(tail.length);
  expect(log.trimEnd().endsWith(tail.split('\n').at(-1))).toBe(true);
  expect(await typeVnflow(system, 'logs', '@last', 'prepareNode-masterNode-0', '--tail', '2')).toBe(
    `${log.trimEnd().split('\n').slice(-2).join('\n')}\n`,
  );
  await useKubeconfig(id);
  await completeOperation(system.http, { id, task: 'terminate', body: { terminationType: 'FORCEFUL' } });
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
  expect(system.simulator.fingerprint()).toEqual(before);
}, 90_000);

async function newest(vnfInstanceId: string): Promise<string> {
  const { data } = await system.http.get(`/vnflcm/v2/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,${vnfInstanceId})`);
  return data[0].id;
}

/** A member's credential works on the cluster. */
async function useKubeconfig(id: string): Promise<void> {
  const kubeconfig = await typeVnflow(system, 'kubeconfig', id.slice(0, 6), '--role', 'admin', '--ttl', '24h');
  const master = system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('master'));
  const { nodes } = system.simulator;
  const asUser = (command: string, stdin = '') => sshExec(nodes, master?.addresses[0] ?? '', { command, stdin });
  await asUser('cat > anna.yaml', kubeconfig);
  expect((await asUser('kubectl --kubeconfig anna.yaml get nodes')).stdout).toContain('Ready');
  await asUser('cat > anna.yaml', kubeconfig.replace(/token: .+/, 'token: a.b.c'));
  expect((await asUser('kubectl --kubeconfig anna.yaml get nodes')).code).toBe(1);
  const accounts = await runKubectl(system.simulator, '-n vnflow-access get serviceaccounts -o name');
  expect(accounts).toMatch(/nfv-user-[0-9a-f]{8}-admin/);
}

it('refuses to work in the Temporal namespace of another vnflow, whose tasks it would take and fail', async () => {
  await expect(startSystem({ temporal: system.temporal })).rejects.toMatchObject({ code: 'NAMESPACE_TAKEN' });
});
