import type { Duplex } from 'node:stream';
import PQueue from 'p-queue';
import type { Client } from 'ssh2';
import { measureSshCommand } from '../metrics/instruments.ts';
import { traceCall } from '../tracing/spans.ts';
import { type BastionTarget, enterBastion } from './bastion.ts';
import { connect } from './connection.ts';
import { dial } from './dial.ts';
import { type ExecOptions, type ExecResult, execOn } from './exec.ts';
import type { HostKeyPolicy } from './host-key.ts';
import { openTunnel } from './tunnel.ts';

export interface SessionTarget {
  readonly host: string;
  readonly port?: number;
  readonly username: string;
  readonly auth: { readonly password?: string; readonly privateKey?: string };
  readonly bastion?: BastionTarget;
  readonly hostKey: HostKeyPolicy;
  /** True when other work waits for this node: its login comes before all others. */
  readonly isUrgent?: boolean;
  /** Limit for the login to the bastion, and likewise for the login to the node. */
  readonly connectTimeoutMs: number;
  /** Aborts the connecting. An open session is ended by `end()`. */
  readonly signal?: AbortSignal;
}

export interface SshSession {
  /** The node in messages, for example `node 10.10.0.57`. */
  readonly label: string;
  readonly username: string;
  /** Runs a command. At most four commands of a session run at the same time; further ones wait in a queue. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /**
   * Opens a TCP connection from the node to a port. sshd must allow it (`AllowTcpForwarding`, which is its default). A
   * connection is no session, so there may be many.
   */
  connect(port: number, options: ConnectOptions): Promise<Duplex>;
  /** May be called more than once. */
  end(): void;
}

export interface ConnectOptions {
  /** The address that the node connects to, as a rule one of its own. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Logs in to a node, through a bastion if the target has one. Host keys are checked before any credential is sent.
 * @throws VnflowError NODE_UNREACHABLE (retriable), NODE_AUTH, NODE_HOST_KEY; the signal's reason when aborted
 */
export async function openSession(target: SessionTarget): Promise<SshSession> {
  const bastion = target.bastion ? await enterBastion(target.bastion, target) : undefined;
  const { host, port = 22, username, auth, hostKey, isUrgent, connectTimeoutMs: timeoutMs, signal } = target;
  const label = `node ${host}`;
  const node = { host, port, label };
  const limits = { timeoutMs, signal };
  const words = { through: 'bastion', to: label };
  const reach = () => (bastion ? openTunnel(bastion.client, node, { ...limits, words }) : dial(node, limits));
  const address = `${bastion ? bastion.label : ''}>${host}:${port}`;
  try {
    const client = await connect({ username, ...auth, hostKey, label, address, isUrgent, reach }, limits);
    client.once('close', () => bastion?.leave());
    return sessionOf(client, { label, username, host });
  } catch (error) {
    bastion?.leave();
    throw error;
  }
}

/**
 * sshd opens ten sessions per connection and answers `open failed` to more (MaxSessions, sshd_config(5)); a hardened
 * sshd opens four. When the wait for a command is given up, its session stays taken until the process has ended.
 * Forwarded streams of a bastion do not count.
 */
const COMMANDS_AT_ONCE = 4;

/**
 * The program of a command line: its arguments are not for traces.
 * @internal exported for tests
 */
export function programOf(command: string): string {
  return /^(?:sudo -n )?(?:[\w./-]*\/)?([\w.-]{1,40})(?=\s|$)/.exec(command)?.[1] ?? 'command';
}

function sessionOf(
  client: Client,
  { label, username, host }: Record<'label' | 'username' | 'host', string>,
): SshSession {
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  client.on('close', () => {
    lost ??= new Error('connection closed');
    client.destroy();
  });
  const places = new PQueue({ concurrency: COMMANDS_AT_ONCE });
  return {
    label,
    username,
    exec: (command, { signal, name = programOf(command), ...options } = {}) => {
      const run = () => execOn(client, command, { ...options, ...(signal ? { signal } : {}), label, lost: () => lost });
      const span = { name: `ssh ${name}`, kind: 'client', attributes: { 'server.address': host } } as const;
      // outside of the queue, which runs a command as a part of the one before it
      return traceCall(span, async (notes) => {
        const result = await places.add(() => measureSshCommand(run()), signal ? { signal } : {});
        notes.add({ 'process.exit.code': result.code });
        return result;
      });
    },
    connect: (port, { host, timeoutMs, signal }) =>
      openTunnel(
        client,
        { host, port },
        { timeoutMs, signal, words: { through: label, to: `port ${port} of ${host}` } },
      ),
    end: () => {
      lost ??= new Error('session ended');
      client.end();
    },
  };
}
