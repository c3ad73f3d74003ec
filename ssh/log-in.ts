import { AsyncLocalStorage } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { Client, type ConnectConfig } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';
import { checkHostKey, type HostKeyPolicy } from './host-key.ts';

/** Who logs in, and with what. */
export interface Login {
  readonly username: string;
  readonly password?: string;
  /** PEM or OpenSSH format, without pass phrase. */
  readonly privateKey?: string;
}

export interface LoginTarget extends Login {
  readonly hostKey: HostKeyPolicy;
  /** For messages: "node 10.10.0.57", "bastion 127.0.0.1:2222". */
  readonly label: string;
}

export interface LoginOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told the machine's host key, once it is accepted. */
  readonly onHostKey?: (key: Buffer) => void;
}

/** The connection was closed before the machine showed its host key: sshd has too many logins under way (MaxStartups), or it just starts. */
export class DroppedConnection extends VnflowError {
  constructor(label: string, seen: string) {
    const detail = `The ${label} closed the connection before the SSH key exchange: too many logins at once, or sshd just starts.`;
    super('NODE_UNREACHABLE', { detail, seen });
  }
}

/**
 * One SSH login over a stream that leads to the machine's SSH port. The host key is checked before any credential leaves.
 * @throws VnflowError NODE_UNREACHABLE (`DroppedConnection` when nothing was said yet), NODE_AUTH, NODE_HOST_KEY; what the
 * policy throws; the signal's reason when aborted. The stream is closed then.
 */
export async function logIn(target: LoginTarget, stream: Duplex, options: LoginOptions): Promise<Client> {
  const { signal } = options;
  signal?.throwIfAborted();
  const client = new Client();
  const talk: Talk = { lost: false, hostKeyShown: false, refusal: undefined };
  const lose = () => {
    talk.lost = true;
  };
  client.once('error', lose).once('end', lose).once('close', lose); // before any other listener
  const onAbort = () => stream.destroy();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await ready(client, connectConfig(target, stream, { ...options, talk }), target.password);
    // the far end of a forwarded stream may close its half alone: ssh2 would wait for the other half without a limit
    client.once('end', () => stream.destroy());
    return client;
  } catch (error) {
    stream.destroy();
    signal?.throwIfAborted();
    throw talk.refusal ?? (!talk.hostKeyShown && isDrop(error) ? dropped(target, error) : loginFailure(target, error));
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** How far a login got. */
interface Talk {
  /**
   * ssh2 dismantles its protocol at the end of the stream, and throws at a verdict on a host key that comes after that. The verdict
   * may wait for Nova or for the store, longer than the connection lives.
   */
  lost: boolean;
  hostKeyShown: boolean;
  refusal: unknown;
}

function connectConfig(
  target: LoginTarget,
  sock: Duplex,
  { timeoutMs, onHostKey, talk }: LoginOptions & { readonly talk: Talk },
): ConnectConfig {
  return {
    sock,
    username: target.username,
    ...(target.password === undefined ? {} : { password: target.password, tryKeyboard: true }),
    ...(target.privateKey === undefined ? {} : { privateKey: target.privateKey }),
    readyTimeout: timeoutMs,
    keepaliveInterval: 5_000,
    keepaliveCountMax: 4,
    // behind a bastion this is called in the async context of whoever opened the bastion; the policy is asked in its owner's
    hostVerifier: AsyncLocalStorage.bind((key: Buffer, verify: (valid: boolean) => void) => {
      talk.hostKeyShown = true;
      const refuse = (reason: unknown) => {
        talk.refusal = reason;
        return false;
      };
      checkHostKey(key, target.label, target.hostKey)
        .then(() => true, refuse)
        .then((accepted) => {
          if (talk.lost) return;
          if (accepted) onHostKey?.(key);
          verify(accepted);
        })
        .catch(refuse);
    }),
  };
}

const CLOSED = 'connection closed before the login';

function ready(client: Client, config: ConnectConfig, password: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error(CLOSED));
    client
      .on('ready', resolve)
      .on('error', reject)
      .on('end', closed) // ssh2's own time limit ends there
      .on('close', closed)
      .on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
        answer(prompts.map(() => password ?? '')),
      )
      .connect(config)
      .setNoDelay(true); // small packets to and fro: Nagle's algorithm would cost 40 ms per command
  });
}

function isDrop(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    [CLOSED, 'Connection lost before handshake'].includes(error.message) || code === 'ECONNRESET' || code === 'EPIPE'
  );
}

function dropped({ label }: LoginTarget, error: unknown): VnflowError {
  return new DroppedConnection(label, messageOf(error));
}

function loginFailure(target: LoginTarget, error: unknown): VnflowError {
  const seen = messageOf(error);
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  if (level === 'client-authentication' || /privateKey/.test(seen)) {
    const with_ = target.privateKey === undefined ? 'password' : 'key';
    return new VnflowError('NODE_AUTH', {
      detail: `The ${target.label} refused the login of user "${target.username}" (${with_}).`,
      seen: 'Permission denied',
    });
  }
  return new VnflowError('NODE_UNREACHABLE', { detail: `The ${target.label} gave no SSH session: ${seen}.`, seen });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
