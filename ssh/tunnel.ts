import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';

interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

interface TunnelLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The subject of messages: the host through which the tunnel goes, and what it should reach. */
  readonly words: { readonly through: string; readonly to: string };
}

/**
 * Opens a TCP connection from the host of an SSH connection (`direct-tcpip`, RFC 4254, 7.2).
 * @throws VnflowError NODE_UNREACHABLE when the host refuses it, or does not answer in time; the signal's reason when
 * aborted
 */
export function openTunnel(
  client: Client,
  { host, port }: TunnelTarget,
  { timeoutMs, signal, words }: TunnelLimits,
): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const over = new AbortController();
  const { through, to } = words;
  const fail = (why: string) =>
    reject(
      new VnflowError('NODE_UNREACHABLE', { detail: `The ${through} could not reach the ${to}: ${why}.`, seen: why }),
    );
  const onClose = () => fail(`the connection to the ${through} closed`);
  const onAbort = () => reject(signal?.reason);
  const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
  client.once('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    client.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
      if (error) return fail(error.message);
      stream.on('error', () => stream.destroy()); // the user of the stream notices it, because the stream closes
      if (over.signal.aborted)
        stream.destroy(); // the caller does not wait any more, but sshd would keep the connection
      else resolve(stream);
    });
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error)); // "Not connected"
  }
  return promise.finally(() => {
    over.abort();
    clearTimeout(timer);
    client.removeListener('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  });
}
