import { afterEach, beforeEach, expect, it } from 'vitest';
import { GUIDE_LATENCY } from './kernel/latency.ts';
import { sshExec } from './nodes/testing.ts';
import { isObject, listAt, objectAt, stringAt } from './openstack/json.ts';
import { login, topStack } from './openstack/testing.ts';
import { type Simulator, startSimulator } from './simulator.ts';

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

it('takes failures of nodes over HTTP, and refuses what it does not know', async () => {
  const order = (fault: object) =>
    fetch(`${simulator.url}/_simulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect((await order({ kind: 'disk-full', node: 'worker1' })).status).toBe(201);
  expect((await order({ kind: 'earthquake' })).status).toBe(400);
  expect(simulator.nodes.faults.list()).toEqual([{ kind: 'disk-full', node: 'worker1' }]);
  await fetch(`${simulator.url}/_simulator/faults`, { method: 'DELETE' });
  expect(simulator.nodes.faults.list()).toEqual([]);
});
