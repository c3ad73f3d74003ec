import type { Duplex } from 'node:stream';
import PQueue from 'p-queue';
import type { Client } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';
import { type BastionTarget, enterBastion } from './bastion.ts';
import { connect } from './connection.ts';
import { dial } from './dial.ts';
import { type ExecOptions, type ExecResult, execOn } from './exec.ts';
import type { HostKeyPolicy } from './host-key.ts';

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
  /** May be called more than once. */
  end(): void;
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
  const reach = () => (bastion ? forward(bastion.client, node, limits) : dial(node, limits));
  const address = `${bastion ? bastion.label : ''}>${host}:${port}`;
  try {
    const client = await connect({ username, ...auth, hostKey, label, address, isUrgent, reach }, limits);
    client.once('close', () => bastion?.leave());
    return sessionOf(client, { label, username });
  } catch (error) {
    bastion?.leave();
    throw error;
  }
}

function forward(
  bastion: Client,
  { host, port, label }: { readonly host: string; readonly port: number; readonly label: string },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const over = new AbortController();
  const fail = (why: string) =>
    reject(
      new VnflowError('NODE_UNREACHABLE', { detail: `The bastion could not reach the ${label}: ${why}.`, seen: why }),
    );
  const onClose = () => fail('the connection to the bastion closed');
  const onAbort = () => reject(signal?.reason);
  const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
  bastion.once('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    bastion.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
      if (error) return fail(error.message);
      stream.on('error', () => stream.destroy()); // the session over this stream notices it, because the stream closes
      if (over.signal.aborted)
        stream.destroy(); // the caller does not wait any more, but sshd would keep the unfinished login
      else resolve(stream);
    });
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error)); // "Not connected"
  }
  return promise.finally(() => {
    over.abort();
    clearTimeout(timer);
    bastion.removeListener('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  });
}

/**
 * sshd opens ten sessions per connection and answers `open failed` to more (MaxSessions, sshd_config(5)); a hardened
 * sshd opens four. When the wait for a command is given up, its session stays taken until the process has ended.
 * Forwarded streams of a bastion do not count.
 */
const COMMANDS_AT_ONCE = 4;

function sessionOf(client: Client, { label, username }: { label: string; username: string }): SshSession {
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
    exec: (command, { signal, ...options } = {}) =>
      places.add(
        () => execOn(client, command, { ...options, ...(signal ? { signal } : {}), label, lost: () => lost }),
        signal ? { signal } : {},
      ),
    end: () => {
      lost ??= new Error('session ended');
      client.end();
    },
  };
}
