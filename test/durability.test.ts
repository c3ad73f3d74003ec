import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { type KilledWorkers, startKilledWorkers } from './testing/killed-workers.ts';
import { createInstance, guideRequest, onboardSample } from './testing/system.ts';

let system: KilledWorkers;
let id: string;

beforeAll(async () => {
  system = await startKilledWorkers();
  id = await createInstance(system.http, await onboardSample(system.http));
}, 120_000);
afterAll(() => system?.stop());

it('instantiates three control-plane nodes and two workers, whatever border of a step a worker is killed at', async () => {
  // so slow that the attempt after a kill finds a member that is no leftover: its join goes on
  system.simulator.nodes.faults.add({ kind: 'etcd-slow', seconds: 700, times: 2 });
  const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
  await system.survives(() => system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
  expect(system.blows()).toBeGreaterThan(25);
  expect(system.simulator.fingerprint().content['servers']).toHaveLength(5);
}, 400_000);

it('scales out, whatever border of a step a worker is killed at', async () => {
  const body = { type: 'SCALE_OUT', aspectId: 'workerNode_scale' };
  await system.survives(() => system.http.post(`/vnflcm/v2/vnf_instances/${id}/scale`, body));
  expect(system.simulator.fingerprint().content['servers']).toHaveLength(6);
}, 400_000);

it('changes the private registries of all nodes, whatever border of a step a worker is killed at', async () => {
  const { nodes } = system.simulator;
  const [host] = nodes.list().filter(({ hostname }) => hostname.startsWith('worker'));
  const server = `${host?.addresses[0]}:5000`;
  const install = `apt-get update && apt-get install -y docker.io && docker run -d --name registry -p 5000:5000 registry:2.8.3`;
  const { code } = await sshExec(nodes, host?.addresses[0] ?? '', { command: 'sudo bash -s', stdin: install });
  expect(code).toBe(0);
  const login = { username: 'user01', password: 'a password of a registry' };
  const change = { private_registry_connection_info: [{ connection_type: 0, server, ...login }] };
  await system.survives(() =>
    system.http.patch(`/vnflcm/v2/vnf_instances/${id}`, { vnfConfigurableProperties: change }),
  );
  const logins = nodes.list().map((node) => node.file('/var/lib/kubelet/config.json') ?? '{}');
  expect(logins.map((text) => Object.keys(JSON.parse(text).auths ?? {}))).toEqual(logins.map(() => [server]));
  const left = nodes.list().filter((node) => node.file('/var/lib/vnflow/registries/restart.kubelet') !== undefined);
  expect(left).toEqual([]);
}, 400_000);

it('heals a control-plane node, whatever border of a step a worker is killed at', async () => {
  const [victim] = system.simulator.nodes.list().filter(({ hostname }) => hostname.startsWith('master'));
  const { instantiatedVnfInfo } = (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
  const vnfcInstanceId = instantiatedVnfInfo.vnfcInfo.find(
    ({ vnfcResourceInfoId }: { vnfcResourceInfoId: string }) => vnfcResourceInfoId === victim?.id,
  )?.id;
  await system.survives(() =>
    system.http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, { vnfcInstanceId: [vnfcInstanceId] }),
  );
  const machines = system.simulator.nodes.list().map((node) => node.id);
  expect(machines).toHaveLength(6);
  expect(machines).not.toContain(victim?.id);
}, 400_000);
