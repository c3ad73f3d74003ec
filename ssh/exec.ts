import type { Client, ClientChannel } from 'ssh2';
import { VnflowError } from '../domain/problems.ts';

export interface ExecOptions {
  /** Written to the command's standard input, which is then closed. The place for secrets. */
  readonly stdin?: string | Buffer;
  /** Default 60 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Of standard output and of standard error, each. Default 4 MiB. */
  readonly maxOutputBytes?: number;
}

export interface ExecResult {
  /** Exit code; -1 when a signal ended the command. */
  readonly code: number;
  readonly signal?: string;
  readonly stdout: string;
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

interface ExecContext extends ExecOptions {
  readonly label: string;
  /** Why the connection is gone, if it is. */
  lost(): Error | undefined;
}

/**
 * Runs one command and waits for its end. A command that fails is a result, not an error.
 * @throws VnflowError NODE_UNREACHABLE when the connection breaks or no end comes in time, NODE_PROTOCOL when there is
 * too much output; the signal's reason when aborted
 */
export async function execOn(client: Client, command: string, context: ExecContext): Promise<ExecResult> {
  const { label, signal, timeoutMs = 60_000 } = context;
  signal?.throwIfAborted();
  const gone = context.lost();
  if (gone) throw unreachable(label, gone.message);
  const interruption = Promise.withResolvers<never>();
  const fail = (error: unknown) => interruption.reject(error);
  const onClose = () => fail(unreachable(label, context.lost()?.message ?? 'the connection closed'));
  const onAbort = () => fail(signal?.reason);
  const timer = setTimeout(
    () => fail(unreachable(label, `no end of a command within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  client.once('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  let channel: ClientChannel | undefined;
  const running = start(client, command, context, (opened) => {
    channel = opened;
  });
  running.catch(() => undefined); // when the interruption wins, its own failure is no news
  try {
    return await Promise.race([running, interruption.promise]);
  } catch (error) {
    channel?.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    client.removeListener('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The listeners are put on in the callback itself: the whole answer may lie in the packet that opened the channel. */
function start(
  client: Client,
  command: string,
  context: ExecContext,
  onOpened: (channel: ClientChannel) => void,
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      if (error) return reject(unreachable(context.label, error.message));
      onOpened(channel);
      collect(channel, context, { resolve, reject });
    };
    try {
      client.exec(command, opened);
    } catch (error) {
      reject(unreachable(context.label, error instanceof Error ? error.message : String(error))); // "Not connected"
    }
  });
}

interface Outcome {
  resolve(result: ExecResult): void;
  reject(error: VnflowError): void;
}

function collect(
  channel: ClientChannel,
  { label, stdin, maxOutputBytes = 4 * 1024 * 1024 }: ExecContext,
  { resolve, reject }: Outcome,
): void {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let end: { code: number; signal?: string } | undefined;
  const gather = (into: Buffer[]) => {
    let bytes = 0;
    return (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) reject(tooMuch(label, maxOutputBytes));
      else into.push(chunk);
    };
  };
  channel.on('data', gather(stdout));
  channel.stderr.on('data', gather(stderr));
  channel.on('exit', (code: number | null, signal?: string) => {
    end = code === null ? { code: -1, ...(signal ? { signal } : {}) } : { code };
  });
  channel.on('error', (error: Error) => reject(unreachable(label, error.message)));
  channel.on('close', () => {
    if (!end) return reject(unreachable(label, 'the connection broke before the command ended'));
    const stdoutBytes = Buffer.concat(stdout);
    const texts = { stdout: stdoutBytes.toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
    resolve({ ...end, ...texts, stdoutBytes });
  });
  channel.end(stdin ?? '');
}

function unreachable(label: string, why: string): VnflowError {
  return new VnflowError('NODE_UNREACHABLE', { detail: `The SSH session with the ${label} broke: ${why}.`, seen: why });
}

function tooMuch(label: string, bytes: number): VnflowError {
  return new VnflowError('NODE_PROTOCOL', { detail: `A command on the ${label} printed more than ${bytes} bytes.` });
}
