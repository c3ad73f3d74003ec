import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { problemOf } from '../test/testing/problem-of.ts';
import { type LoopbackNode, type LoopbackNodeOptions, startLoopbackNode } from '../test/testing/ssh/loopback-node.ts';
import { openSession, programOf, type SessionTarget, type SshSession } from './session.ts';
import { execAsRoot, sudoCommand } from './sudo.ts';

const PASSWORD = 'pa ss"word';
const opened: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

async function node(options: LoopbackNodeOptions = {}): Promise<LoopbackNode> {
  const started = await startLoopbackNode(options);
  opened.push(started);
  return started;
}

function target(at: LoopbackNode, changes: Partial<SessionTarget> = {}): SessionTarget {
  return {
    host: '127.0.0.1',
    port: at.port,
    username: 'ubuntu',
    auth: { password: PASSWORD },
    hostKey: { expected: [at.fingerprint], onFirstContact: () => undefined },
    connectTimeoutMs: 3_000,
    ...changes,
  };
}

async function open(at: SessionTarget): Promise<SshSession> {
  const session = await openSession(at);
  opened.push({ stop: () => session.end() });
  return session;
}

test('a command returns its exit code and both outputs, and reads its standard input', async () => {
  const session = await open(target(await node()));
  const result = await session.exec('cat; echo problem >&2; exit 7', { stdin: 'grüße\n' });
  expect(result).toMatchObject({ code: 7, stdout: 'grüße\n', stderr: 'problem\n' });
});

test('commands of one session run at the same time', async () => {
  const session = await open(target(await node()));
  const results = await Promise.all([1, 2, 3].map((n) => session.exec(`sleep 0.3; echo ${n}`)));
  expect(results.map(({ stdout }) => stdout.trim())).toEqual(['1', '2', '3']);
});

test('a host key is checked at the first contact, and no password is sent to a node whose key is refused', async () => {
  const machine = await node();
  const contacts: string[] = [];
  const onFirstContact = (fingerprint: string, keyType: string) => {
    contacts.push(`${fingerprint} ${keyType}`);
  };
  await open(target(machine, { hostKey: { onFirstContact } }));
  expect(contacts).toEqual([`${machine.fingerprint} ssh-ed25519`]);
  const refuse = () => Promise.reject(new Error('not in the console log'));
  await expect(openSession(target(machine, { hostKey: { onFirstContact: refuse } }))).rejects.toThrow(
    'not in the console log',
  );
  expect(machine.passwordsSeen).toHaveLength(1);
});

test('a changed host key is refused before the password is sent, and both fingerprints are named', async () => {
  const machine = await node();
  const expected = `SHA256:${'A'.repeat(43)}`;
  const hostKey = { expected: [expected], onFirstContact: () => undefined };
  const problem = await problemOf(openSession(target(machine, { hostKey })));
  expect(problem.code).toBe('NODE_HOST_KEY');
  expect(problem.message).toContain(expected);
  expect(problem.message).toContain(machine.fingerprint);
  expect(machine.passwordsSeen).toEqual([]);
});

test('the error of a wrong password is final and names node and user, but not the password', async () => {
  const problem = await problemOf(openSession(target(await node(), { auth: { password: 'canary-wrong' } })));
  expect(problem.code).toBe('NODE_AUTH');
  expect(problem.kind.retriable).toBe(false);
  expect(problem.message).toContain('node 127.0.0.1');
  expect(problem.message).toContain('"ubuntu"');
  expect(JSON.stringify([problem.message, problem.seen, String(problem.cause)])).not.toContain('canary-wrong');
});

test('a port that does not listen is a retriable error', async () => {
  const machine = await startLoopbackNode();
  await machine.stop();
  const problem = await problemOf(openSession(target(machine)));
  expect([problem.code, problem.kind.retriable]).toEqual(['NODE_UNREACHABLE', true]);
});

test('a node is reached through a bastion, whose host key is pinned, too', async () => {
  const bastion = await node({ username: 'jump', password: 'jump-secret' });
  const machine = await node();
  const via = (fingerprint: string) => ({
    host: '127.0.0.1',
    port: bastion.port,
    username: 'jump',
    password: 'jump-secret',
    hostKey: { expected: [fingerprint], onFirstContact: () => undefined },
  });
  const session = await open(target(machine, { bastion: via(bastion.fingerprint) }));
  expect((await session.exec('echo there')).stdout).toBe('there\n');
  expect([bastion.logins, machine.logins]).toEqual([1, 1]);
  const problem = await problemOf(openSession(target(machine, { bastion: via(`SHA256:${'B'.repeat(43)}`) })));
  expect(problem.code).toBe('NODE_HOST_KEY');
  expect(problem.message).toContain('bastion 127.0.0.1');
  expect(bastion.logins).toBe(1);
});

test('sessions of one process share one login to their bastion, and a lost bastion gets a new login', async () => {
  const bastion = await node();
  const machine = await node();
  const hostKey = { expected: [bastion.fingerprint], onFirstContact: () => undefined };
  const via = { host: '127.0.0.1', port: bastion.port, username: 'ubuntu', password: PASSWORD, hostKey };
  const through = () => open(target(machine, { bastion: via }));
  const [first] = await Promise.all([through(), through(), through()]);
  await through();
  expect([bastion.logins, machine.logins]).toEqual([1, 4]);
  const running = problemOf((first as SshSession).exec('sleep 5'));
  bastion.cut();
  expect((await running).code).toBe('NODE_UNREACHABLE');
  expect((await (await through()).exec('echo there')).stdout).toBe('there\n');
  expect(bastion.logins).toBe(2);
});

test('the host key policy runs in the async context of its own session, also behind a shared bastion', async () => {
  const bastion = await node();
  const caller = new AsyncLocalStorage<string>();
  const asked: (string | undefined)[] = [];
  const policy = { expected: [bastion.fingerprint], onFirstContact: () => undefined };
  const via = { host: '127.0.0.1', port: bastion.port, username: 'ubuntu', password: PASSWORD, hostKey: policy };
  for (const name of ['first', 'second']) {
    const hostKey = { onFirstContact: () => void asked.push(caller.getStore()) };
    const machine = await node();
    await caller.run(name, () => open(target(machine, { bastion: via, hostKey })));
  }
  expect(asked).toEqual(['first', 'second']);
});

test('a node that the bastion cannot reach is unreachable (retriable)', async () => {
  const bastion = await node({ refuseForwarding: true });
  const machine = await node();
  const hostKey = { expected: [bastion.fingerprint], onFirstContact: () => undefined };
  const via = { host: '127.0.0.1', port: bastion.port, username: 'ubuntu', password: PASSWORD, hostKey };
  const problem = await problemOf(openSession(target(machine, { bastion: via })));
  expect([problem.code, problem.kind.retriable]).toEqual(['NODE_UNREACHABLE', true]);
});

test('a session that is cut in the middle of a command makes the node unreachable at once', async () => {
  const machine = await node();
  const session = await open(target(machine));
  const running = problemOf(session.exec('sleep 5'));
  setTimeout(() => machine.cut(), 100);
  expect((await running).code).toBe('NODE_UNREACHABLE');
  expect((await problemOf(session.exec('true'))).code).toBe('NODE_UNREACHABLE');
});

test('a command without an end, too much output and an abort all end the wait', async () => {
  const hanging = await open(target(await node({ hangs: true })));
  expect((await problemOf(hanging.exec('true', { timeoutMs: 100 }))).code).toBe('NODE_UNREACHABLE');
  const session = await open(target(await node()));
  const flood = session.exec('head -c 5000 /dev/zero', { maxOutputBytes: 1000 });
  expect((await problemOf(flood)).code).toBe('NODE_PROTOCOL');
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('operator said stop')), 50);
  await expect(session.exec('sleep 5', { signal: abort.signal })).rejects.toThrow('operator said stop');
});

test('the error of a node where sudo wants a password names node and user', async () => {
  const machine = await node();
  writeFileSync(`${machine.directory}/sudo-wants-password`, '');
  const session = await open(target(machine));
  const problem = await problemOf(execAsRoot(session, sudoCommand(['id'])));
  expect(problem.code).toBe('NODE_AUTH');
  expect(problem.message).toContain('User "ubuntu" of the node 127.0.0.1 cannot become root');
});

test.each([
  ['sudo -n kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes', 'kubectl'],
  ['/usr/bin/etcdctl member list', 'etcdctl'],
  ['true', 'true'],
  ['PASSWORD=secret kubectl get', 'command'],
  ["'a secret' 2", 'command'],
  ['', 'command'],
])('the name of %j in a trace is its program, %j', (command, name) => {
  expect(programOf(command)).toBe(name);
});
