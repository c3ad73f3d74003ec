import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { fingerprintOf } from '../host-key.ts';
import { installFakeSystemd } from './fake-systemd.ts';

/** An sshd on loopback whose commands run in the real /bin/sh of this machine, with a fake systemd. */
export interface LoopbackNode {
  readonly port: number;
  readonly fingerprint: string;
  /** Directory of everything this node keeps; jobs are under `jobRoot`. */
  readonly directory: string;
  readonly jobRoot: string;
  /** Command lines that were asked for, in order. */
  readonly commands: string[];
  /** Passwords that were offered. */
  readonly passwordsSeen: string[];
  readonly logins: number;
  /** Ends all TCP connections without a word; running commands and units go on. */
  cut(): void;
  stop(): Promise<void>;
}

export interface LoopbackNodeOptions {
  readonly username?: string;
  readonly password?: string;
  /** Refuses direct-tcpip (as a bastion that cannot reach a node). Default: connects to 127.0.0.1. */
  readonly refuseForwarding?: boolean;
  /** Commands get no answer. */
  readonly hangs?: boolean;
}

export async function startLoopbackNode(options: LoopbackNodeOptions = {}): Promise<LoopbackNode> {
  const { username = 'ubuntu', password = 'pa ss"word' } = options;
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-node-'));
  const { bin } = installFakeSystemd(directory);
  const hostKey = readableKey();
  const environment = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, FAKE_ROOT: directory };
  const seen = { commands: [] as string[], passwordsSeen: [] as string[], logins: 0 };
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    socketOf(connection).setNoDelay(true);
    connection.on('error', () => undefined).on('close', () => connections.delete(connection));
    connection.on('authentication', (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      seen.passwordsSeen.push(context.password);
      if (context.username !== username || context.password !== password) return context.reject(['password']);
      seen.logins += 1;
      context.accept();
    });
    connection.on('ready', () => serve(connection, { environment, options, commands: seen.commands }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const parsed = ssh2.utils.parseKey(hostKey);
  if (parsed instanceof Error) throw parsed;
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: fingerprintOf(parsed.getPublicSSH()),
    directory,
    jobRoot: path.join(directory, 'vnflow'),
    commands: seen.commands,
    passwordsSeen: seen.passwordsSeen,
    get logins() {
      return seen.logins;
    },
    cut: () => {
      for (const connection of connections) socketOf(connection).destroy();
    },
    stop: async () => {
      for (const connection of connections) socketOf(connection).destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await delay(20); // a unit that is just ending may still write
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** ssh2 has no public way to cut a connection without a goodbye. */
function socketOf(connection: Connection): Socket {
  return (connection as unknown as { _sock: Socket })._sock;
}

interface Serving {
  readonly environment: NodeJS.ProcessEnv;
  readonly options: LoopbackNodeOptions;
  readonly commands: string[];
}

function serve(connection: Connection, { environment, options, commands }: Serving): void {
  connection.on('session', (accept) => {
    accept().on('exec', (acceptExec, _reject, { command }) => {
      commands.push(command);
      const channel = acceptExec();
      if (!options.hangs) runInShell(command, channel, environment);
    });
  });
  connection.on('tcpip', (accept, reject, { destPort }) => {
    if (options.refuseForwarding) return reject();
    const socket = connectTcp(destPort, '127.0.0.1');
    socket.on('error', () => reject());
    socket.on('connect', () => {
      const channel = accept();
      channel.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => channel.end());
      channel.pipe(socket).pipe(channel);
    });
  });
}

function runInShell(command: string, channel: ServerChannel, environment: NodeJS.ProcessEnv): void {
  const child = spawn('/bin/sh', ['-c', command], { env: environment, detached: true });
  child.stdin.on('error', () => undefined);
  channel.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code, signal) => {
    if (signal === null) channel.exit(code ?? 0);
    else channel.exit(signal.replace(/^SIG/, ''));
    channel.end();
  });
}

/** One in some hundred of the keys that ssh2 makes cannot be read by ssh2. */
function readableKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}
