import { afterAll, beforeAll, expect, it } from 'vitest';
import { runKubectl } from './testing/kubectl.ts';
import { completeOperation, instantiateCluster } from './testing/operations.ts';
import { typeRemedy } from './testing/remedy.ts';
import { operationOf, type System, settled, startSystem } from './testing/system.ts';

let system: System;
let id: string;
beforeAll(async () => {
  system = await startSystem();
  id = await instantiateCluster(system);
  await run('scale', { type: 'SCALE_OUT', aspectId: 'workerNode_scale' });
}, 120_000);
afterAll(() => system.stop());

const run = (task: string, body: object) => completeOperation(system.http, { id, task, body });

/** The plan of a scale in, with a look at the cluster. */
async function plan() {
  const request = { type: 'SCALE_IN', aspectId: 'workerNode_scale' };
  const body = { operation: 'SCALE', request, live: true };
  return (await system.http.post(`/vnflow/v1/vnf_instances/${id}/plan`, body)).data;
}

const kubectl = (args: string, stdin?: string) => runKubectl(system.simulator, args, stdin);

const LABELS = '{app: db}';
const DATABASE = `apiVersion: apps/v1
kind: Deployment
metadata: {name: db}
spec:
  replicas: 3
  template: {metadata: {labels: ${LABELS}}, spec: {containers: [{name: db, image: postgres}]}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec: {selector: {matchLabels: ${LABELS}}, minAvailable: 3}
`;

it('scale in keeps a disruption budget: it fails at the time limit and names the budget, and completes once the budget allows it', async () => {
  await kubectl('apply -f -', DATABASE);
  await kubectl('wait --for=condition=Ready pod -l app=db --timeout=60s');
  const before = system.simulator.nodes.list().map(({ id: server }) => server);
  const { observed } = await plan();
  const pods = observed.pods.filter(({ name }: { name: string }) => name.startsWith('db-'));
  expect(pods.length, 'the plan names the pods that have to leave').toBeGreaterThan(0);
  const budget = { name: 'db', disruptionsAllowed: 0 };
  for (const pod of pods)
    expect(pod).toMatchObject({ namespace: 'default', node: expect.stringMatching(/^worker\d+$/), budget });
  const body = {
    type: 'SCALE_IN',
    aspectId: 'workerNode_scale',
    additionalParams: { drain_timeout: 30 },
  };
  const operation = operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, body));
  const blocked = await settled(system.http, operation);
  expect(blocked).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: {
      code: 'DRAIN_BLOCKED',
      status: 422,
      stepId: 'removeWorkers',
      detail: expect.stringMatching(/^worker\d+ could not be drained within 30 s\.$/),
    },
  });
  expect(blocked.error.seen).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
  expect(blocked.error.seen).toMatch(/error when evicting pods\/"db-\S+" -n "default": global timeout reached: 30s/);
  expect(system.simulator.nodes.list().map(({ id: server }) => server)).toEqual(before);
  expect(await kubectl('get pdb -A')).toMatch(/default +db +3 +N\/A +0 /);

  await kubectl('delete pdb db');
  await typeRemedy(blocked.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(system.simulator.nodes.list()).toHaveLength(before.length - 1);
  const nodes = (await kubectl('get pods -l app=db -o jsonpath={.items[*].spec.nodeName}')).trim().split(' ');
  expect(nodes).toHaveLength(3);
  expect((await kubectl('get nodes -o name')).split('\n')).toEqual(
    expect.arrayContaining(nodes.map((name) => `node/${name}`)),
  );
});
