import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { typeRemedy } from './testing/remedy.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

/** Failures of the cloud: for each, the command in the error's remedy completes the operation. */

const SAMPLE = fileURLToPath(new URL('../samples/kubernetes-cluster', import.meta.url));

vi.setConfig({ testTimeout: 90_000 });

let system: System;
let vnfdId: string;
/** Tokens of the tests' own client. */
let own: ReadonlySet<string>;
beforeAll(async () => {
  system = await startSystem({ pace: { stackLimit: 5, consoleGrace: 2 } });
  own = new Set(Object.keys(system.simulator.cloud.state.tokens));
  vnfdId = await onboardSample(system.http);
});
afterEach(() => {
  system.simulator.faults.remove();
  system.simulator.nodes.faults.clear();
});
afterAll(() => system.stop());

async function instantiate(of: string = vnfdId) {
  const id = await createInstance(system.http, of);
  const path = `/vnflcm/v2/vnf_instances/${id}/instantiate`;
  return { id, operation: operationOf(await system.http.post(path, system.instantiateBody())) };
}

const terminate = async (id: string) =>
  operationOf(await system.http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' }));

const serverIds = () => Object.keys(system.simulator.cloud.state.servers);

it.each([
  ['no console', { status: 501, body: { notImplemented: { message: 'Unable to get console log', code: 501 } } }],
  [
    'a console that never tells the host key',
    { status: 200, body: { output: '[    0.000000] Linux version 5.15.0\n' } },
  ],
])('%s: it is waited for a while, then the key of the first contact counts', async (_, effect) => {
  system.simulator.faults.add({ service: 'nova', method: 'POST', pathContains: '/action', effect });
  const { id, operation } = await instantiate();
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await settled(system.http, await terminate(id));
});

it('Nova hangs at every console: no password goes to an unproven node, the operation waits, and goes on once Nova answers', async () => {
  const lost: unknown[] = [];
  const onLost = (reason: unknown) => lost.push(reason);
  process.on('unhandledRejection', onLost);
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const since = (kind: string, what = /./) =>
    system.simulator.ledger.entries(seq).filter((entry) => entry.kind === kind && what.test(entry.what));
  system.simulator.faults.add({
    service: 'nova',
    method: 'POST',
    pathContains: '/action',
    effect: { hang: true },
  });
  const { id, operation } = await instantiate();
  await expect.poll(() => since('machine', /^create$/).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await delay(17_000); // longer than a connection waits for the console
  expect((await system.http.get(operation)).data.operationState).toBe('PROCESSING');
  expect(since('login')).toEqual([]);

  system.simulator.faults.remove();
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  process.off('unhandledRejection', onLost);
  expect(lost).toEqual([]);
  await settled(system.http, await terminate(id));
});

it('one nested stack that fails: the error has its resource and OpenStack’s words, and retry keeps the servers that are fine', async () => {
  const reason = 'ResourceInError: Went to status ERROR due to "Message: No valid host was found., Code: 500"';
  system.simulator.faults.add({
    service: 'heat',
    resourceNameContains: 'workerNode-1',
    times: 1,
    effect: { resourceFails: reason },
  });
  const { id, operation } = await instantiate();
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'STACK_CREATE_FAILED', title: 'Stack create failed', status: 422, stepId: 'applyStack' },
  });
  expect(failed.error.detail).toContain('No valid host was found');
  expect(failed.error.detail).toContain('workerNode-1');
  const before = serverIds();

  await typeRemedy(failed.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(serverIds()).toEqual(expect.arrayContaining(before));
  await settled(system.http, await terminate(id));
});

it('a stack that does not finish fails at its limit, with its status in the error, and retry repairs it by an update', async () => {
  system.simulator.faults.add({
    service: 'heat',
    resourceNameContains: 'workerNode-0',
    times: 1,
    effect: { stuck: true },
  });
  const { id, operation } = await instantiate();
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'STACK_STUCK', status: 422 } });
  expect(failed.error.detail).toBe(`Stack "vnf-${id}" was not created within 5 s: it is still CREATE_IN_PROGRESS.`);
  await typeRemedy(failed.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await settled(system.http, await terminate(id));
});

it('a token that expires in mid-operation is renewed, without a failed step', async () => {
  const seq = system.simulator.ledger.entries().at(-1)?.seq ?? 0;
  const { id, operation } = await instantiate();
  const asked = (what: RegExp) => system.simulator.ledger.entries(seq).filter((entry) => what.test(entry.what)).length;
  await expect.poll(() => asked(/^GET .*\/stacks\//)).toBeGreaterThan(0);
  const before = asked(/^POST .*\/auth\/tokens/);
  for (const [key, token] of Object.entries(system.simulator.cloud.state.tokens)) if (!own.has(key)) token.expires = 0;
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(asked(/^POST .*\/auth\/tokens/)).toBe(before + 1);
  const timeline = await system.http.get(`${operation.replace('/vnflcm/v2', '/vnflow/v1')}/timeline`);
  expect(new Set(timeline.data.steps.map(({ attempt }: { attempt: number }) => attempt))).toEqual(new Set([1]));
  await settled(system.http, await terminate(id));
});

it('rollback of a terminate is refused with the state of the operation, and retry goes on once the stack can be deleted', async () => {
  const { id, operation: first } = await instantiate();
  await settled(system.http, first);
  system.simulator.faults.add({
    service: 'heat',
    resourceNameContains: 'masterNode_CP1',
    action: 'DELETE',
    times: 1,
    effect: { resourceFails: 'Conflict: Port is in use' },
  });
  const operation = await terminate(id);
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'STACK_DELETE_FAILED', status: 422 } });
  expect(failed.error.detail).toContain('Port is in use');
  const refused = await system.http.post(`${operation}/rollback`);
  expect(refused.data).toMatchObject({
    status: 409,
    code: 'ROLLBACK_NOT_SUPPORTED',
    detail: 'Rollback of TERMINATE is not supported.',
    remedy: 'Use retry or fail instead.',
  });
  expect((await system.http.get(operation)).data.operationState).toBe('FAILED_TEMP');

  await typeRemedy(failed.error.remedy, system);
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  expect(serverIds()).toEqual([]);
});

it('a package whose HOT lacks the port that cluster_cp_name names is refused before anything is made', async () => {
  const before = system.simulator.fingerprint();
  const changed = await onboardChanged((hot) => hot.replaceAll(/masterNode_CP1\b/g, 'other_CP'));
  const id = await createInstance(system.http, changed);
  const body = system.instantiateBody();
  const { status, data } = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body);
  expect([status, data.code]).toEqual([400, 'BAD_REQUEST']);
  expect(data.detail).toMatch(/masterNode_CP1 is not in the VNF package; it has .*other_CP/);
  expect(system.simulator.fingerprint()).toEqual(before);
  expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
});

it('a port that the HOT has but Heat did not make: the parameter and the resource are named, and rollback leaves nothing', async () => {
  const before = system.simulator.fingerprint();
  const changed = await onboardChanged((hot) =>
    hot
      .replace('heat_template_version: 2013-05-23', 'heat_template_version: 2016-10-14\nconditions: { never: false }')
      .replace('  masterNode_CP1_floating_ip:\n', '  masterNode_CP1_floating_ip:\n    condition: never\n'),
  );
  const { operation } = await instantiate(changed);
  const failed = await settled(system.http, operation);
  expect(failed).toMatchObject({
    operationState: 'FAILED_TEMP',
    error: { code: 'RESOURCE_MISSING', status: 422, stepId: 'discover' },
  });
  expect(failed.error.detail).toBe(
    'master_node.ssh_cp_name: resource masterNode_CP1_floating_ip of masterNode-0 does not exist.',
  );
  await typeRemedy(failed.error.remedy, system, 'rollback');
  expect(await settled(system.http, operation)).toMatchObject({ operationState: 'ROLLED_BACK' });
  expect(system.simulator.fingerprint()).toEqual(before);
});

/** The sample with another HOT of the control-plane node, under an id of its own. */
async function onboardChanged(change: (hot: string) => string): Promise<string> {
  const id = randomUUID();
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-bad-package-'));
  try {
    cpSync(SAMPLE, directory, { recursive: true });
    rewrite(path.join(directory, 'BaseHOT/simple/nested/simple_nested_master.yaml'), change);
    for (const file of ['kubernetes_cluster.vnfd.yaml', 'kubernetes_cluster_types.yaml'])
      rewrite(path.join(directory, 'Definitions', file), (text) => text.replaceAll(vnfdId, id));
    return await onboardSample(system.http, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function rewrite(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`nothing changed in ${file}`);
  writeFileSync(file, changed);
}
