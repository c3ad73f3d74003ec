import { connect, type Socket } from 'node:net';
import ssh2, { type ClientChannel } from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';

/** The bastion and the nodes have the default limits of sshd_config(5): MaxSessions 10, MaxStartups 10:30:100. */
const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function cloud(speed?: number): Promise<TestCloud> {
  const started = await startTestCloud(speed);
  ended.push(started.stop);
  return started;
}

/** Opens a TCP connection that never logs in. @returns the first line from the server */
function idle({ nodes }: TestCloud): Promise<string> {
  const socket: Socket = connect(nodes.bastion.port, nodes.bastion.host);
  ended.push(() => socket.destroy());
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString().trim()));
    socket.once('error', () => resolve(''));
  });
}

async function login(options: ssh2.ConnectConfig): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  ended.push(() => client.end());
  await new Promise<void>((resolve, reject) =>
    client
      .on('ready', () => resolve())
      .on('error', reject)
      .connect(options),
  );
  return client;
}

const throughBastion = ({ nodes: { bastion } }: TestCloud) =>
  login({ host: bastion.host, port: bastion.port, username: bastion.user });

async function forwarded(bastion: ssh2.Client, address: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    bastion.forwardOut('127.0.0.1', 0, address, 22, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

const exec = (client: ssh2.Client, command: string) =>
  new Promise<ClientChannel>((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel.resume()))),
  );

it('the eleventh command at once on one connection is refused as by sshd, and is served when another has ended', async () => {
  const world = await cloud(20);
  world.machine('worker', '10.10.0.21');
  await world.ssh('10.10.0.21', 'true');
  const sock = await forwarded(await throughBastion(world), '10.10.0.21');
  const client = await login({ sock, username: 'ubuntu', password: 'ubuntu' });
  const running = await Promise.all(Array.from({ length: 10 }, () => exec(client, 'sleep 1000')));
  await expect(exec(client, 'true')).rejects.toMatchObject({
    message: '(SSH) Channel open failure: open failed',
    reason: 2,
  });
  expect(world.entries().filter(({ kind }) => kind === 'ssh-limit')).toMatchObject([
    { where: expect.stringContaining('worker'), what: 'MaxSessions' },
  ]);
  await new Promise((resolve) => running[0]?.once('close', resolve).close());
  await expect.poll(() => exec(client, 'true').then(() => 'served'), { timeout: 20_000 }).toBe('served');
});

it('from ten unfinished logins on the bastion drops some before the banner; equal seeds, equal drops', async () => {
  const outcome = async () => {
    const world = await cloud();
    const lines: string[] = [];
    for (let n = 0; n < 60; n += 1) lines.push(await idle(world));
    return lines.map((line) => (line.startsWith('SSH-2.0-') ? 'served' : line));
  };
  const first = await outcome();
  expect(first.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'served'));
  expect(new Set(first.slice(10))).toEqual(new Set(['served', 'Exceeded MaxStartups']));
  expect(await outcome()).toEqual(first);
});

it('a node drops logins, too, and one that is finished is not counted any more', async () => {
  const world = await cloud();
  world.machine('worker', '10.10.0.21');
  await world.ssh('10.10.0.21', 'true');
  const bastion = await throughBastion(world);
  const drops = () => world.entries().filter(({ what }) => what === 'MaxStartups').length;
  for (let n = 0; n < 15; n += 1) {
    await login({ sock: await forwarded(bastion, '10.10.0.21'), username: 'ubuntu', password: 'ubuntu' });
  }
  expect(drops()).toBe(0);
  for (let n = 0; n < 60; n += 1) await forwarded(bastion, '10.10.0.21');
  await expect.poll(drops).toBeGreaterThan(5);
});
