import { AsyncLocalStorage } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { Client, type ConnectConfig } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';
import { checkHostKey, type HostKeyPolicy } from './host-key.ts';

/** The user name and the credentials of a login. */
export interface Login {
  readonly username: string;
  readonly password?: string;
  /** In PEM or OpenSSH format, without pass phrase. */
  readonly privateKey?: string;
}

export interface LoginTarget extends Login {
  readonly hostKey: HostKeyPolicy;
  /** The machine in messages, for example `node 10.10.0.57` or `bastion 127.0.0.1:2222`. */
  readonly label: string;
}

export interface LoginOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the host key of the machine, once it is accepted. */
  readonly onHostKey?: (key: Buffer) => void;
}

/**
 * The machine closed the connection before it showed its host key: too many logins are under way (MaxStartups), or sshd
 * is just starting.
 */
export class DroppedConnection extends VnflowError {
  constructor(label: string, seen: string) {
    const detail = `The ${label} closed the connection before the SSH key exchange: too many logins at once, or sshd just starts.`;
    super('NODE_UNREACHABLE', { detail, seen });
  }
}

/**
 * Logs in over a stream to the SSH port of a machine. It checks the host key before it sends any credential.
 * @throws VnflowError NODE_UNREACHABLE (`DroppedConnection` when the machine closed the stream before the key
 * exchange), NODE_AUTH, NODE_HOST_KEY; what the policy throws; the signal's reason when aborted. The stream is closed
 * then.
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
    await waitUntilReady(client, connectConfig(target, stream, { ...options, talk }), target.password);
    // the far end of a forwarded stream may close only its own direction: ssh2 would wait for the other one without a
    // limit
    client.once('end', () => stream.destroy());
    return client;
  } catch (error) {
    stream.destroy();
    signal?.throwIfAborted();
    throw (
      talk.refusal ??
      (!talk.hostKeyShown && isDrop(error) ? createDropProblem(target, error) : createLoginProblem(target, error))
    );
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** How far a login has got. */
interface Talk {
  /**
   * True when the stream has ended. ssh2 throws when a verdict on the host key comes after the end of the stream, and
   * the verdict may have to wait for Nova or for the store, longer than the connection lives.
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
    // behind a bastion ssh2 calls this in the async context of the session that opened the bastion; `bind` restores our
    // own
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

function waitUntilReady(client: Client, config: ConnectConfig, password: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error(CLOSED));
    client
      .on('ready', resolve)
      .on('error', reject)
      .on('end', closed) // the time limit of ssh2 ends the connection with this event
      .on('close', closed)
      .on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
        answer(prompts.map(() => password ?? '')),
      )
      .connect(config)
      .setNoDelay(true); // the packets are small: Nagle's algorithm would cost 40 ms per command
  });
}

function isDrop(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    [CLOSED, 'Connection lost before handshake'].includes(error.message) || code === 'ECONNRESET' || code === 'EPIPE'
  );
}

function createDropProblem({ label }: LoginTarget, error: unknown): VnflowError {
  return new DroppedConnection(label, messageOf(error));
}

function createLoginProblem(target: LoginTarget, error: unknown): VnflowError {
  const seen = messageOf(error);
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  if (isAboutPrivateKey(seen))
    return new VnflowError('NODE_KEY_UNREADABLE', {
      detail: `The private key of user "${target.username}" for the ${target.label} cannot be read. No connection was made with it.`,
      seen,
    });
  if (level === 'client-authentication') {
    const with_ = target.privateKey === undefined ? 'password' : 'key';
    return new VnflowError('NODE_AUTH', {
      detail: `The ${target.label} refused the login of user "${target.username}" (${with_}).`,
      seen: 'Permission denied',
    });
  }
  return new VnflowError('NODE_UNREACHABLE', { detail: `The ${target.label} gave no SSH session: ${seen}.`, seen });
}

/** The words of ssh2 when it cannot parse a key. They never contain the key. */
function isAboutPrivateKey(text: string): boolean {
  return /^(Cannot parse privateKey|privateKey value does not contain)/.test(text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
