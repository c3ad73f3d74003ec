import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { GUIDE_LATENCY } from './kernel/latency.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { login, topStack } from './test/testing/cloud.ts';
import { sshExec } from './test/testing/nodes.ts';
import { isObject, listAt, objectAt, stringAt } from './world/cloud/json.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ speed: 200, latency: { ...GUIDE_LATENCY, apiCall: 0 } });
});
afterEach(() => simulator.stop());

it('lets a person log in through the bastion to a server that Heat made, at its floating IP, with the key the console shows', async () => {
  const client = await login(simulator);
  const made = await client.heat('POST', '/stacks', topStack('whole', 1));
  const stack = await client.settled(`/stacks/whole/${objectAt(made.body, 'stack')['id']}`);
  const floating = listAt(stack, 'outputs')
    .filter(isObject)
    .find(({ output_key }) => output_key === 'floating_ip');
  const address = String(floating?.['output_value']);
  const id = simulator.cloud.network.machineAt(address) ?? '';
  await simulator.clock.sleep(GUIDE_LATENCY.boot + GUIDE_LATENCY.login + 5);
  const { stdout, code } = await sshExec(simulator.nodes, address, { command: 'hostname -I' });
  expect([stdout.trim(), code]).toEqual([simulator.nodes.node(id)?.addresses[0], 0]);
  const action = { 'os-getConsoleOutput': {} };
  const console = await client.call('POST', `/compute/v2.1/servers/${id}/action`, action);
  expect(stringAt(console.body, 'output')).toContain('SSH HOST KEY FINGERPRINTS');
});

it('takes a machine away when its server is deleted, and leaves nothing', async () => {
  const before = simulator.fingerprint();
  const client = await login(simulator);
  const made = await client.heat('POST', '/stacks', topStack('gone', 2));
  const path = `/stacks/gone/${objectAt(made.body, 'stack')['id']}`;
  await client.settled(path);
  expect(simulator.nodes.list()).toHaveLength(3);
  await client.heat('DELETE', path);
  await client.settled(path);
  expect(simulator.nodes.list()).toHaveLength(0);
  expect(simulator.fingerprint()).toEqual(before);
});

it('takes failures of services and nodes over HTTP, shows them with ids, and refuses what it does not know', async () => {
  const { order, list, remove } = control(simulator.url);
  expect((await order({ kind: 'earthquake' })).status).toBe(400);
  expect((await order({ service: 'network', effect: { status: 503 } })).status).toBe(400);
  const [full, busy] = [
    await order({ kind: 'disk-full', node: 'worker1' }),
    await order({ service: 'heat', times: 2, effect: { status: 503 } }),
  ].map(({ status, fault }) => {
    expect(status).toBe(201);
    return fault;
  });
  expect(await list()).toEqual([
    { id: busy?.id, service: 'heat', times: 2, effect: { status: 503 }, struck: 0 },
    { id: full?.id, kind: 'disk-full', node: 'worker1', struck: 0 },
  ]);
  expect([await remove(full?.id), await remove(full?.id), await remove(busy?.id)]).toEqual([204, 404, 204]);
  expect(await list()).toEqual([]);
});

it('keeps ordered failures, and how often they struck, through a restart', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-faults-'));
  const first = await startSimulator({ speed: 200, directory });
  await control(first.url).order({ kind: 'unreachable', node: 'worker1' });
  await control(first.url).order({ service: 'glance', times: 2, effect: { status: 503 } });
  const client = await login(first);
  expect((await client.call('GET', '/image/v2/images')).status).toBe(503);
  await first.stop();
  const second = await startSimulator({ speed: 200, directory });
  try {
    const { list, remove } = control(second.url);
    const again = await login(second);
    expect(await list()).toMatchObject([
      { service: 'glance', struck: 1 },
      { kind: 'unreachable', node: 'worker1' },
    ]);
    expect((await again.call('GET', '/image/v2/images')).status).toBe(503);
    expect((await again.call('GET', '/image/v2/images')).status).toBe(200);
    expect(await remove((await list())[0]?.id)).toBe(204);
    expect(await list()).toEqual([]);
  } finally {
    await second.stop();
    rmSync(directory, { recursive: true });
  }
});

/** The control API as a person with curl uses it. */
function control(url: string) {
  const faults = `${url}/_simulator/faults`;
  const Fault = z.looseObject({ id: z.string() });
  return {
    order: async (body: object) => {
      const answer = await fetch(faults, { method: 'POST', body: JSON.stringify(body) });
      return { status: answer.status, fault: answer.ok ? Fault.parse(await answer.json()) : undefined };
    },
    list: async () => z.object({ faults: z.array(Fault) }).parse(await (await fetch(faults)).json()).faults,
    remove: async (id = '') => (await fetch(`${faults}/${id}`, { method: 'DELETE' })).status,
  };
}

it('has six compute hosts; a world that exists gains hosts and loses none', async () => {
  expect(simulator.cloud.state.hosts).toHaveLength(6);
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-simulator-'));
  const hostsOf = async (hosts: number) => {
    const world = await startSimulator({ directory, hosts });
    const names = [...world.cloud.state.hosts];
    await world.stop();
    return names;
  };
  expect(await hostsOf(2)).toEqual(['compute-1', 'compute-2']);
  expect(await hostsOf(4)).toEqual(['compute-1', 'compute-2', 'compute-3', 'compute-4']);
  expect(await hostsOf(1)).toHaveLength(4);
  rmSync(directory, { recursive: true });
});
