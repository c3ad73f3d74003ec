import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { fingerprintOf } from '../../../ssh/host-key.ts';
import { installFakeSystemd } from './fake-systemd.ts';

/** An sshd on loopback whose commands run in the real /bin/sh of this machine, with a fake systemd. */
export interface LoopbackNode {
  readonly port: number;
  readonly fingerprint: string;
  /** Directory of everything this node keeps; jobs are under `jobRoot`. */
  readonly directory: string;
  readonly jobRoot: string;
  /** Command lines that clients sent, in order. */
  readonly commands: string[];
  /** Passwords that were offered. */
  readonly passwordsSeen: string[];
  readonly logins: number;
  /** The most connections at once that had not logged in. */
  readonly mostUnfinishedLogins: number;
  /** The most commands that ran at once. */
  readonly mostCommands: number;
  /** Cuts all TCP connections without a closing handshake. Running commands and units go on. */
  cut(): void;
  stop(): Promise<void>;
}

export interface LoopbackNodeOptions {
  readonly username?: string;
  readonly password?: string;
  /** Refuses direct-tcpip (as a bastion that cannot reach a node). Default: connects to 127.0.0.1. */
  readonly refuseForwarding?: boolean;
  /** True when commands get no answer. */
  readonly hangs?: boolean;
  /** How many connections the node closes before the banner, as sshd does beyond MaxStartups. */
  readonly drops?: number;
  /** How many session channels the node refuses, as sshd does beyond MaxSessions. */
  readonly refusesSessions?: number;
  /** A forwarded stream that ends is closed in one direction only, as OpenSSH does. */
  readonly halfCloses?: boolean;
}

export async function startLoopbackNode(options: LoopbackNodeOptions = {}): Promise<LoopbackNode> {
  const { username = 'ubuntu', password = 'pa ss"word' } = options;
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-node-'));
  const { bin } = installFakeSystemd(directory);
  const hostKey = readableKey();
  const environment = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, FAKE_ROOT: directory };
  const seen = { commands: [] as string[], passwordsSeen: [] as string[], logins: 0 };
  const unfinished = new Gauge();
  const running = new Gauge();
  const left = { drops: options.drops ?? 0, refusesSessions: options.refusesSessions ?? 0 };
  const connections = new Set<Connection>();
  const sshd = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined).on('close', () => connections.delete(connection));
    connection.on('authentication', (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      seen.passwordsSeen.push(context.password);
      if (context.username !== username || context.password !== password) return context.reject(['password']);
      seen.logins += 1;
      context.accept();
    });
    connection.on('ready', () => {
      unfinished.leave(socketOf(connection));
      serve(connection, { environment, options, commands: seen.commands, running, left });
    });
  });
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    if (left.drops-- > 0) {
      socket.write('Exceeded MaxStartups\r\n');
      socket.destroySoon();
      return;
    }
    unfinished.enter(socket);
    socket.on('close', () => unfinished.leave(socket));
    sshd.injectSocket(socket);
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
    get mostUnfinishedLogins() {
      return unfinished.most;
    },
    get mostCommands() {
      return running.most;
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

/** Counts present items, and keeps the highest count. */
class Gauge {
  most = 0;
  readonly #inside = new Set<object>();

  enter(one: object): void {
    this.#inside.add(one);
    this.most = Math.max(this.most, this.#inside.size);
  }

  leave(one: object): void {
    this.#inside.delete(one);
  }
}

interface Serving {
  readonly environment: NodeJS.ProcessEnv;
  readonly options: LoopbackNodeOptions;
  readonly commands: string[];
  readonly running: Gauge;
  readonly left: { refusesSessions: number };
}

function serve(connection: Connection, { environment, options, commands, running, left }: Serving): void {
  connection.on('session', (accept, reject) => {
    if (left.refusesSessions-- > 0) return reject();
    accept().on('exec', (acceptExec, _reject, { command }) => {
      commands.push(command);
      const channel = acceptExec();
      if (options.hangs) return;
      running.enter(channel);
      runInShell(command, channel, { environment, onEnd: () => running.leave(channel) });
    });
  });
  connection.on('tcpip', (accept, reject, { destPort }) => {
    if (options.refuseForwarding) return reject();
    const socket = connectTcp(destPort, '127.0.0.1');
    socket.on('error', () => reject());
    socket.on('connect', () => {
      const channel = accept();
      channel.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      if (options.halfCloses) {
        channel.pipe(socket).pipe(channel, { end: false });
        socket.on('close', () => channel.eof());
        return;
      }
      socket.on('close', () => channel.end());
      channel.pipe(socket).pipe(channel);
    });
  });
}

function runInShell(
  command: string,
  channel: ServerChannel,
  { environment, onEnd }: { readonly environment: NodeJS.ProcessEnv; readonly onEnd: () => void },
): void {
  const child = spawn('/bin/sh', ['-c', command], { env: environment, detached: true });
  child.stdin.on('error', () => undefined);
  channel.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code, signal) => {
    onEnd();
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
