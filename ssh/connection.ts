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

export interface Machine extends Login {
  readonly host: string;
  readonly port: number;
  readonly hostKey: HostKeyPolicy;
  /** For messages: "node 10.10.0.57", "bastion 127.0.0.1:2222". */
  readonly label: string;
}

export interface ConnectOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** A stream that already leads to the machine's SSH port (through a bastion). */
  readonly sock?: Duplex;
  /** Told the machine's host key, once it is accepted. */
  readonly onHostKey?: (key: Buffer) => void;
}

/**
 * One SSH connection, with the host key checked before any credential leaves.
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY; the signal's reason when aborted
 */
export async function connect(machine: Machine, options: ConnectOptions): Promise<Client> {
  options.signal?.throwIfAborted();
  const client = new Client();
  let refusal: unknown;
  const config = connectConfig(client, machine, options, (reason) => {
    refusal = reason;
  });
  const onAbort = () => client.destroy();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await ready(client, config, machine.password);
    return client;
  } catch (error) {
    client.destroy();
    options.signal?.throwIfAborted();
    throw refusal ?? connectFailure(machine, error);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
}

function connectConfig(
  client: Client,
  machine: Machine,
  options: ConnectOptions,
  refuse: (reason: unknown) => void,
): ConnectConfig {
  const connection = watch(client);
  return {
    host: machine.host,
    port: machine.port,
    username: machine.username,
    ...(machine.password === undefined ? {} : { password: machine.password, tryKeyboard: true }),
    ...(machine.privateKey === undefined ? {} : { privateKey: machine.privateKey }),
    ...(options.sock ? { sock: options.sock } : {}),
    readyTimeout: options.timeoutMs,
    keepaliveInterval: 5_000,
    keepaliveCountMax: 4,
    // behind a bastion this is called in the async context of whoever opened the bastion; the policy is asked in its owner's
    hostVerifier: AsyncLocalStorage.bind((key: Buffer, verify: (valid: boolean) => void) => {
      checkHostKey(key, machine.label, machine.hostKey)
        .then(
          () => true,
          (reason: unknown) => {
            refuse(reason);
            return false;
          },
        )
        .then((accepted) => {
          if (connection.lost) return;
          if (accepted) options.onHostKey?.(key);
          verify(accepted);
        })
        .catch(refuse);
    }),
  };
}

/**
 * ssh2 dismantles its protocol at the end of the stream, and throws at a verdict on a host key that comes after that. The verdict may
 * wait for Nova or for the store, longer than the connection lives. To be called before any other listener is put on.
 */
function watch(client: Client): { readonly lost: boolean } {
  const state = { lost: false };
  const lose = () => {
    state.lost = true;
  };
  client.once('error', lose).once('end', lose).once('close', lose);
  return state;
}

function ready(client: Client, config: ConnectConfig, password: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    client
      .on('ready', resolve)
      .on('error', reject)
      .on('end', () => reject(new Error('connection closed before the login'))) // ssh2's own time limit ends there
      .on('close', () => reject(new Error('connection closed before the login')))
      .on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
        answer(prompts.map(() => password ?? '')),
      )
      .connect(config)
      .setNoDelay(true); // small packets to and fro: Nagle's algorithm would cost 40 ms per command
  });
}

function connectFailure(machine: Machine, error: unknown): VnflowError {
  const seen = error instanceof Error ? error.message : String(error);
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  if (level === 'client-authentication' || /privateKey/.test(seen)) {
    const with_ = machine.privateKey === undefined ? 'password' : 'key';
    return new VnflowError('NODE_AUTH', {
      detail: `The ${machine.label} refused the login of user "${machine.username}" (${with_}).`,
      seen: 'Permission denied',
    });
  }
  return new VnflowError('NODE_UNREACHABLE', { detail: `The ${machine.label} gave no SSH session: ${seen}.`, seen });
}
