import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { FIRST_MASTER, MASTERS, makeControlPlane, VIRTUAL_IP } from './testing/sample-cluster.ts';

const CONFIG = '/etc/haproxy/haproxy.cfg';

let cloud: TestCloud;
let written: string;
beforeAll(async () => {
  cloud = await startTestCloud(1000);
  await makeControlPlane(cloud);
  written = (await run(FIRST_MASTER.address, `cat ${CONFIG}`)).stdout;
}, 60_000);
afterAll(() => cloud.stop());

const run = (address: string, command: string, stdin = '') => cloud.ssh(address, `sudo ${command}`, { stdin });
/** Sends a request from a machine that does not hold the virtual address. */
const ask = async () => {
  const answer = await run('10.10.0.13', 'kubectl --kubeconfig /etc/kubernetes/admin.conf get --raw /readyz');
  return answer.code === 0 ? answer.stdout : answer.stderr.trim();
};
const holders = async () => {
  const held = await Promise.all(MASTERS.map(({ address }) => run(address, 'ip -4 -o addr show')));
  return MASTERS.flatMap(({ name }, at) => (held[at]?.stdout.includes(VIRTUAL_IP) ? [name] : []));
};
const power = (host: number, action: 'start' | 'stop') =>
  cloud.nodes.hypervisor.power(`server-vm-master${host}`, action);

/** Writes a configuration on the machine with the virtual address, and reloads haproxy. */
async function balance(text: string, reload = true): Promise<void> {
  await run(FIRST_MASTER.address, `tee ${CONFIG}`, text);
  if (reload) expect((await run(FIRST_MASTER.address, 'systemctl reload haproxy')).code).toBe(0);
}
/** A configuration whose backends are these control-plane nodes only. */
const only = (...names: string[]) =>
  written
    .split('\n')
    .filter((line) => !/^\s*server /.test(line) || names.some((name) => line.includes(`server ${name} `)))
    .join('\n');

beforeEach(async () => {
  await balance(written);
});
afterEach(async () => {
  for (const host of [11, 12, 13]) power(host, 'start');
  await run(FIRST_MASTER.address, 'sleep 60').catch(() => undefined);
});

it('a connection to the endpoint goes to a backend that is configured and answers, and to no other', async () => {
  expect(written.match(/^\s*server /gm)).toHaveLength(3);
  expect(await ask()).toBe('ok');
  await balance(only('master12'));
  expect(await ask()).toBe('ok');
  power(12, 'stop');
  // two of three API servers answer, but the load balancer has neither as a backend
  expect(await ask()).toBe('Unable to connect to the server: EOF');
  await balance(only('master12', 'master13'));
  expect(await ask()).toBe('ok');
  await balance(written.replaceAll(':6443', ':6444'));
  expect(await ask()).toBe('Unable to connect to the server: EOF');
});

it('what is written counts from the reload on, and not before', async () => {
  await balance(only('nobody'), false);
  expect(await ask()).toBe('ok');
  await run(FIRST_MASTER.address, 'systemctl reload haproxy');
  expect(await ask()).toBe('Unable to connect to the server: EOF');
});

it('a configuration that HAProxy refuses is not taken over; the one before goes on', async () => {
  await run(FIRST_MASTER.address, `tee ${CONFIG}`, `${only('nobody')}nonsense here\n`);
  expect((await run(FIRST_MASTER.address, `haproxy -c -q -f ${CONFIG}`)).code).toBe(1);
  const reload = await run(FIRST_MASTER.address, 'systemctl reload haproxy');
  expect(reload).toMatchObject({ code: 1, stderr: expect.stringContaining('Job for haproxy.service failed') });
  expect(await holders()).toEqual(['master11']);
  expect(await ask()).toBe('ok');
});

it('the virtual address leaves a machine whose HAProxy stops; without any HAProxy the endpoint does not answer', async () => {
  expect(await holders()).toEqual(['master11']);
  await run(FIRST_MASTER.address, 'systemctl stop haproxy');
  expect(await holders()).toEqual(['master12']);
  expect(await ask()).toBe('ok');
  for (const { address } of MASTERS) await run(address, 'systemctl stop haproxy');
  expect(await holders()).toEqual([]);
  expect(await ask()).toMatch(/no route to host/);
  for (const { address } of MASTERS) await run(address, 'systemctl start haproxy');
  expect(await ask()).toBe('ok');
});
