import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHostRules, type HostSettings, parseHosts } from './host-rules.ts';

const server = createServer((_, response) => response.end('reached'));
beforeAll(async () => {
  server.listen(0, 'localhost');
  await once(server, 'listening');
});
afterAll(() => server.close());
const port = () => (server.address() as AddressInfo).port;

/** What a connection to the server by name ends with. */
async function connect(settings: HostSettings): Promise<string> {
  const url = new URL(`http://localhost:${port()}/`);
  const rules = createHostRules(settings);
  const refusal = await rules.refusal(url);
  if (refusal !== undefined) return `refused at once: ${refusal}`;
  const call = request(url, { agent: false, lookup: rules.lookupOf(url, (reason) => new Error(reason)) });
  call.end();
  try {
    const [answer] = await once(call, 'response');
    answer.resume();
    return 'reached';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

const own = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => [`http://${address}/`, /own machine/] as const);

it.each<readonly [string, RegExp]>([
  ['http://127.0.0.1/', /loopback/],
  ['http://127.1:7233/', /loopback/],
  ['http://2130706433/', /loopback/],
  ['http://0x7f.0.0.1/', /loopback/],
  ['http://017700000001/', /loopback/],
  ['http://0.0.0.0/', /this machine/],
  ['http://[::1]/', /loopback/],
  ['http://[::]/', /this machine/],
  ['http://[::ffff:127.0.0.1]/', /loopback/],
  ['http://[::127.0.0.1]/', /translated/],
  ['http://[64:ff9b::7f00:1]/', /translated/],
  ['http://169.254.169.254/latest/meta-data/', /metadata/],
  ['http://[fe80::1]/', /link-local/],
  ['http://[fd00:ec2::254]/', /metadata/],
  ['http://[fd20:ce::254]/', /metadata/],
  ['http://[fec0::1]/', /site-local/],
  ['http://[::ffff:0:127.0.0.1]/', /translated/],
  ['http://239.0.0.1/', /multicast/],
  ...own,
])('refuses %s', async (url, reason) => {
  expect(await createHostRules().refusal(new URL(url))).toMatch(reason);
});

it.each(['http://192.168.77.1/', 'http://203.0.113.7/', 'http://[2001:db8::5]/', 'https://cloud.example/'])(
  'allows %s',
  async (url) => {
    expect(await createHostRules().refusal(new URL(url))).toBeUndefined();
  },
);

it('refuses a name that resolves to a refused address when the connection is opened', async () => {
  expect(isIP('localhost')).toBe(0);
  expect(await connect({})).toMatch(/loopback/);
});

it('allows a host that the operator trusts: on every port, or on one', async () => {
  expect(await connect({ trusted: ['localhost'] })).toBe('reached');
  expect(await connect({ trusted: [`localhost:${port()}`] })).toBe('reached');
  expect(await connect({ trusted: [`localhost:${port() - 1}`] })).toMatch(/loopback/);
});

it('refuses every other host where a list of hosts is given', async () => {
  const rules = createHostRules({ trusted: ['cloud.example'], trustedOnly: true });
  expect(await rules.refusal(new URL('https://CLOUD.example.:5000/v3'))).toBeUndefined();
  expect(await rules.refusal(new URL('https://other.example'))).toMatch(/not one of the hosts/);
  expect(await rules.refusal(new URL('http://203.0.113.7'))).toMatch(/not one of the hosts/);
});

it('refuses the hosts of Temporal and PostgreSQL by name and by address', async () => {
  const rules = createHostRules({ internal: ['temporal', '203.0.113.7'] });
  expect(await rules.refusal(new URL('http://temporal:7243/api'))).toBe('a part of vnflow');
  expect(await rules.refusal(new URL('http://203.0.113.7:7243/api'))).toBe('a part of vnflow');
  expect(await rules.refusal(new URL('http://203.0.113.8/'))).toBeUndefined();
});

it('trusts the Keystone of the operator and the services in its catalogue, and those of no other Keystone', async () => {
  const rules = createHostRules({ keystone: 'http://127.0.0.1:5000/v3', trustedOnly: true });
  const heat = new URL('http://127.0.0.1:8004/v1');
  expect(await rules.refusal(new URL('http://127.0.0.1:5000/v3/auth/tokens'))).toBeUndefined();
  expect(await rules.refusal(heat)).toMatch(/not one of the hosts/);
  expect(await rules.forServicesOf('http://127.0.0.1:5000/').refusal(heat)).toBeUndefined();
  for (const other of ['http://127.0.0.1:5001/v3', 'http://127.0.0.1:5000/other/v3', 'https://127.0.0.1:5000/v3', 'x'])
    expect(await rules.forServicesOf(other).refusal(heat)).toMatch(/not one of the hosts/);
});

it('reads lists as variables have them', () => {
  expect(parseHosts(' Cloud.Example, 10.0.0.5:5000 ,')).toEqual(['cloud.example', '10.0.0.5:5000']);
});
