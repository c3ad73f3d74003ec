import { createHash } from 'node:crypto';
import type { Client } from 'ssh2';
import { connect } from './connection.ts';
import { dial } from './dial.ts';
import { checkHostKey, type HostKeyPolicy } from './host-key.ts';
import type { Login, LoginOptions } from './log-in.ts';

export interface BastionTarget extends Login {
  readonly host: string;
  readonly port?: number;
  readonly hostKey: HostKeyPolicy;
}

export interface BastionVisit {
  readonly client: Client;
  /** The bastion in messages, for example `bastion 127.0.0.1:2222`. */
  readonly label: string;
  /** To be called once, when the visitor does not need the connection any more. */
  leave(): void;
}

interface SharedConnection {
  readonly client: Promise<Client>;
  hostKey: Buffer | undefined;
  visitors: number;
  closing: NodeJS.Timeout | undefined;
}

/** A login to a node that still boots is repeated after about a second, so the connection is kept for that attempt. */
const LINGER_MS = 3_000;
const shared = new Map<string, SharedConnection>();

/**
 * Connects to a bastion, or joins a connection that is open. All sessions of this process share one connection per
 * bastion and login, because each connection costs a key exchange, and sshd would refuse hundreds at a time
 * (MaxStartups).
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY; the signal's reason when aborted
 */
export async function enterBastion(
  target: BastionTarget,
  { connectTimeoutMs, signal }: { readonly connectTimeoutMs: number; readonly signal?: AbortSignal },
): Promise<BastionVisit> {
  signal?.throwIfAborted();
  const key = keyOf(target);
  const connection = shared.get(key) ?? openShared(target, key, connectTimeoutMs);
  connection.visitors += 1;
  clearTimeout(connection.closing);
  let present = true;
  const leave = () => {
    if (!present) return;
    present = false;
    connection.visitors -= 1;
    if (connection.visitors === 0)
      connection.closing = setTimeout(() => closeShared(key, connection), LINGER_MS).unref();
  };
  try {
    const client = await connection.client;
    // each visitor has its own policy: a host key that another visitor's policy accepted proves nothing
    if (connection.hostKey) await checkHostKey(connection.hostKey, labelOf(target), target.hostKey);
    signal?.throwIfAborted();
    return { client, label: labelOf(target), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function openShared(target: BastionTarget, key: string, timeoutMs: number): SharedConnection {
  const options: LoginOptions = {
    timeoutMs,
    onHostKey: (hostKey) => {
      connection.hostKey = hostKey;
    },
  };
  const label = labelOf(target);
  const reach = () => dial({ host: target.host, port: target.port ?? 22, label }, { timeoutMs });
  const client = connect({ ...target, label, address: label, reach }, options);
  const connection: SharedConnection = { client, hostKey: undefined, visitors: 0, closing: undefined };
  shared.set(key, connection);
  const removeShared = () => {
    if (shared.get(key) === connection) shared.delete(key);
  };
  client.then((opened) => {
    opened.setMaxListeners(0); // one per session that is being opened
    opened.on('close', removeShared);
    opened.on('error', () => opened.destroy()); // its sessions notice it: their own streams close
  }, removeShared);
  return connection;
}

function closeShared(key: string, connection: SharedConnection): void {
  if (shared.get(key) === connection) shared.delete(key);
  connection.client.then(
    (client) => client.end(),
    () => undefined,
  );
}

function labelOf({ host, port = 22 }: BastionTarget): string {
  return `bastion ${host}:${port}`;
}

/** The key of a shared connection. Sessions with another login need another connection. */
function keyOf({ host, port = 22, username, password, privateKey }: BastionTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([host, port, username, password, privateKey]))
    .digest('hex');
}
