import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';
import { type BastionTarget, enterBastion } from './bastion.ts';
import { connect } from './connection.ts';
import { type ExecOptions, type ExecResult, execOn } from './exec.ts';
import type { HostKeyPolicy } from './host-key.ts';
import { createTurnstile } from './turnstile.ts';

export interface SessionTarget {
  readonly host: string;
  readonly port?: number;
  readonly username: string;
  readonly auth: { readonly password?: string; readonly privateKey?: string };
  readonly bastion?: BastionTarget;
  readonly hostKey: HostKeyPolicy;
  /** For each of the two logins. */
  readonly connectTimeoutMs: number;
  /** Ends the connecting; an open session is ended by `end()`. */
  readonly signal?: AbortSignal;
}

export interface SshSession {
  /** The node as messages name it, for example `node 10.10.0.57`. */
  readonly label: string;
  readonly username: string;
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** May be called more than once. */
  end(): void;
}

/**
 * Logs in to a node, through a bastion if one is named. Host keys are checked before any credential is sent.
 * @throws VnflowError NODE_UNREACHABLE (retriable), NODE_AUTH, NODE_HOST_KEY; the signal's reason when aborted
 */
export async function openSession(target: SessionTarget): Promise<SshSession> {
  const bastion = target.bastion ? await enterBastion(target.bastion, target) : undefined;
  const label = `node ${target.host}`;
  try {
    const sock = await (bastion ? forward(bastion.client, target, label) : dial(target, label));
    const client = await logins.pass(() => logIn(target, label, sock));
    client.once('close', () => bastion?.leave());
    return sessionOf(client, { label, username: target.username });
  } catch (error) {
    bastion?.leave();
    throw error;
  }
}

/** A key exchange is work for the processor: hundreds at once would all take too long. The way to the node is open by then. */
const logins = createTurnstile(50);

function logIn(target: SessionTarget, label: string, sock: Duplex): Promise<Client> {
  const { host, port = 22, username, auth, hostKey, connectTimeoutMs: timeoutMs, signal } = target;
  return connect({ host, port, username, ...auth, hostKey, label }, { timeoutMs, sock, ...(signal ? { signal } : {}) });
}

async function dial({ host, port = 22, connectTimeoutMs, signal }: SessionTarget, label: string): Promise<Duplex> {
  const socket = createConnection({ host, port, noDelay: true });
  const limit = AbortSignal.timeout(connectTimeoutMs);
  try {
    await once(socket, 'connect', { signal: signal ? AbortSignal.any([signal, limit]) : limit });
    socket.on('error', () => socket.destroy()); // whoever has it next sees it close
    return socket;
  } catch (error) {
    socket.destroy();
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const seen = limit.aborted ? `no answer within ${connectTimeoutMs / 1000} s` : reason;
    throw new VnflowError('NODE_UNREACHABLE', { detail: `The ${label} gave no SSH session: ${seen}.`, seen });
  }
}

function forward(
  bastion: Client,
  { host, port = 22, connectTimeoutMs }: SessionTarget,
  label: string,
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const fail = (why: string) =>
    reject(
      new VnflowError('NODE_UNREACHABLE', { detail: `The bastion could not reach the ${label}: ${why}.`, seen: why }),
    );
  const onClose = () => fail('the connection to the bastion closed');
  const timer = setTimeout(() => fail(`no answer within ${connectTimeoutMs / 1000} s`), connectTimeoutMs);
  bastion.once('close', onClose);
  try {
    bastion.forwardOut('127.0.0.1', 0, host, port, (error, stream) => (error ? fail(error.message) : resolve(stream)));
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error)); // "Not connected"
  }
  return promise.finally(() => {
    clearTimeout(timer);
    bastion.removeListener('close', onClose);
  });
}

function sessionOf(client: Client, { label, username }: { label: string; username: string }): SshSession {
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  client.on('close', () => {
    lost ??= new Error('connection closed');
    client.destroy();
  });
  return {
    label,
    username,
    exec: (command, options = {}) => execOn(client, command, { ...options, label, lost: () => lost }),
    end: () => {
      lost ??= new Error('session ended');
      client.end();
    },
  };
}
