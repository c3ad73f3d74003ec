import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import { VnflowError } from '../domain/problems.ts';

interface Destination {
  readonly host: string;
  readonly port: number;
  /** The machine in messages, for example `node 10.10.0.57`. */
  readonly label: string;
}

/**
 * Opens a TCP connection to a machine's SSH port.
 * @throws VnflowError NODE_UNREACHABLE; the signal's reason when aborted
 */
export async function dial(
  { host, port, label }: Destination,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<Duplex> {
  const socket = createConnection({ host, port, noDelay: true });
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal: signal ? AbortSignal.any([signal, limit]) : limit });
    socket.on('error', () => socket.destroy()); // the user of the socket notices it, because the socket closes
    return socket;
  } catch (error) {
    socket.destroy();
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const seen = limit.aborted ? `no answer within ${timeoutMs / 1000} s` : reason;
    throw new VnflowError('NODE_UNREACHABLE', { detail: `The ${label} gave no SSH session: ${seen}.`, seen });
  }
}
