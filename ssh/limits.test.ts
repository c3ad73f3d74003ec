import { afterEach, expect, test } from 'vitest';
import { problemOf } from '../test/testing/problem-of.ts';
import { type LoopbackNode, type LoopbackNodeOptions, startLoopbackNode } from '../test/testing/ssh/loopback-node.ts';
import { openSession, type SessionTarget, type SshSession } from './session.ts';

/** The defaults of sshd: MaxSessions 10 per connection, MaxStartups 10:30:100. */
const opened: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

async function node(options: LoopbackNodeOptions = {}): Promise<LoopbackNode> {
  const started = await startLoopbackNode(options);
  opened.push(started);
  return started;
}

function login(at: LoopbackNode) {
  const hostKey = { expected: [at.fingerprint], onFirstContact: () => undefined };
  return { host: '127.0.0.1', port: at.port, username: 'ubuntu', hostKey };
}

async function open(at: LoopbackNode, changes: Partial<SessionTarget> = {}): Promise<SshSession> {
  const auth = { password: 'pa ss"word' };
  const session = await openSession({ ...login(at), auth, connectTimeoutMs: 10_000, ...changes });
  opened.push({ stop: () => session.end() });
  return session;
}

const numbers = Array.from({ length: 12 }, (_, n) => n);

test('twelve commands at once on one session: four run at a time, and all are answered', async () => {
  const machine = await node();
  const session = await open(machine);
  const results = await Promise.all(numbers.map((n) => session.exec(`sleep 0.1; echo ${n}`)));
  expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers);
  expect(machine.mostCommands).toBe(4);
});

test('the time limit of a command begins only when the command leaves the queue', async () => {
  const session = await open(await node());
  const results = await Promise.all(numbers.map(() => session.exec('sleep 2', { timeoutMs: 5_000 })));
  expect(results.every(({ code }) => code === 0)).toBe(true);
});

test('a command in the queue is not sent when it is aborted, or when its attempt was overtaken', async () => {
  const machine = await node();
  const session = await open(machine);
  const running = Promise.all([1, 2, 3, 4].map(() => session.exec('sleep 0.5')));
  const abort = new AbortController();
  const waiting = session.exec('echo aborted', { signal: abort.signal });
  const overtaken = session.exec('echo overtaken', {
    beforeStart: () => {
      throw new Error('another attempt may run');
    },
  });
  abort.abort(new Error('operator said stop'));
  await expect(waiting).rejects.toThrow('operator said stop');
  await expect(overtaken).rejects.toThrow('another attempt may run');
  await running;
  expect(new Set(machine.commands)).toEqual(new Set(['sleep 0.5']));
});

test('a session channel that sshd refuses is requested a second time, and the command runs once', async () => {
  const machine = await node({ refusesSessions: 2 });
  const session = await open(machine);
  expect((await session.exec('echo there')).stdout).toBe('there\n');
  expect(machine.commands).toEqual(['echo there']);
});

test('a node whose sshd always refuses a session channel is unreachable', async () => {
  const machine = await node({ refusesSessions: Number.POSITIVE_INFINITY });
  const problem = await problemOf((await open(machine)).exec('echo there', { timeoutMs: 1_000 }));
  expect(problem.code).toBe('NODE_UNREACHABLE');
});

test('an urgent login does not wait for logins that came before it', async () => {
  const machine = await node();
  const order: string[] = [];
  const others = numbers.map(async (n) => {
    await open(machine);
    order.push(`${n}`);
  });
  await open(machine, { isUrgent: true });
  order.push('urgent');
  await Promise.all(others);
  expect(order.indexOf('urgent')).toBeLessThan(8); // four were under way, and three may end beside it
});

test('twelve sessions to one node at once: four of them log in at a time', async () => {
  const machine = await node();
  await Promise.all(numbers.map(() => open(machine)));
  expect([machine.logins, machine.mostUnfinishedLogins]).toEqual([12, 4]);
});

test('a node and a bastion that drop connections before the banner are dialled until the time limit', async () => {
  const bastion = await node({ drops: 2 });
  const machine = await node({ drops: 2 });
  const session = await open(machine, { bastion: { ...login(bastion), password: 'pa ss"word' } });
  expect((await session.exec('echo there')).stdout).toBe('there\n');

  const full = await node({ drops: Number.POSITIVE_INFINITY });
  const began = Date.now();
  const problem = await problemOf(open(full, { connectTimeoutMs: 1_000 }));
  expect([problem.code, problem.kind.retriable]).toEqual(['NODE_UNREACHABLE', true]);
  expect(problem.message).toContain('too many logins at once');
  expect(Date.now() - began).toBeLessThan(5_000);
});

test('a wait for a login that sshd keeps dropping ends at once when it is aborted', async () => {
  const machine = await node({ drops: Number.POSITIVE_INFINITY });
  const signal = AbortSignal.timeout(300);
  const began = Date.now();
  await expect(open(machine, { signal, connectTimeoutMs: 60_000 })).rejects.toThrow(/timeout/i);
  expect(Date.now() - began).toBeLessThan(5_000);
});

test('commands end at once when the node dies and the bastion closes only one direction of the stream', async () => {
  const bastion = await node({ halfCloses: true });
  const machine = await node();
  const session = await open(machine, { bastion: { ...login(bastion), password: 'pa ss"word' } });
  const running = problemOf(session.exec('sleep 20'));
  machine.cut();
  expect((await running).code).toBe('NODE_UNREACHABLE');
});
