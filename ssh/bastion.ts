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
  /** For messages: "bastion 127.0.0.1:2222". */
  readonly label: string;
  /** Must be called once, when the way through the bastion is not needed any more. */
  leave(): void;
}

interface SharedConnection {
  readonly client: Promise<Client>;
  hostKey: Buffer | undefined;
  visitors: number;
  closing: NodeJS.Timeout | undefined;
}

/** A node that still boots is tried again after about a second: the connection is kept for the next attempt. */
const LINGER_MS = 3_000;
const shared = new Map<string, SharedConnection>();

/**
 * A way through a bastion. All sessions of this process share one connection per bastion and login: hundreds at a time would be
 * turned away by sshd (MaxStartups), and each costs a key exchange.
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY; the signal's reason when aborted
 */
export async function enterBastion(
  target: BastionTarget,
  { connectTimeoutMs, signal }: { readonly connectTimeoutMs: number; readonly signal?: AbortSignal },
): Promise<BastionVisit> {
  signal?.throwIfAborted();
  const key = keyOf(target);
  const connection = shared.get(key) ?? open(target, key, connectTimeoutMs);
  connection.visitors += 1;
  clearTimeout(connection.closing);
  let present = true;
  const leave = () => {
    if (!present) return;
    present = false;
    connection.visitors -= 1;
    if (connection.visitors === 0) connection.closing = setTimeout(() => close(key, connection), LINGER_MS).unref();
  };
  try {
    const client = await connection.client;
    // each visitor has a policy of its own: a key that another one accepted proves nothing
    if (connection.hostKey) await checkHostKey(connection.hostKey, labelOf(target), target.hostKey);
    signal?.throwIfAborted();
    return { client, label: labelOf(target), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function open(target: BastionTarget, key: string, timeoutMs: number): SharedConnection {
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
  const forget = () => {
    if (shared.get(key) === connection) shared.delete(key);
  };
  client.then((opened) => {
    opened.setMaxListeners(0); // one per session that is being opened
    opened.on('close', forget);
    opened.on('error', () => opened.destroy()); // what runs over it sees its own stream close
  }, forget);
  return connection;
}

function close(key: string, connection: SharedConnection): void {
  if (shared.get(key) === connection) shared.delete(key);
  connection.client.then(
    (client) => client.end(),
    () => undefined,
  );
}

function labelOf({ host, port = 22 }: BastionTarget): string {
  return `bastion ${host}:${port}`;
}

/** Another login is another connection. */
function keyOf({ host, port = 22, username, password, privateKey }: BastionTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([host, port, username, password, privateKey]))
    .digest('hex');
}
