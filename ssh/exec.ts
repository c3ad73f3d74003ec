import pRetry from 'p-retry';
import type { Client, ClientChannel } from 'ssh2';
import { foreignText } from '../domain/foreign-text.ts';
import { VnflowError } from '../domain/problems.ts';

export interface ExecOptions {
  /** Names the command in traces: fixed words, nothing of a request. Default: its program. */
  readonly name?: string;
  /** Written to the standard input of the command, which is then closed. Secrets are passed here. */
  readonly stdin?: string | Buffer;
  /** Counted from the moment when the command leaves the queue of the session. Default 60 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called right before the command is sent. When it throws, the command is not sent. */
  readonly beforeStart?: () => void;
  /** Limit for standard output, and likewise for standard error. Default 4 MiB. */
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
  /** Why the connection was lost. Undefined while it is open. */
  lost(): Error | undefined;
}

/** About ten seconds in all. */
const OPEN_AGAIN = { retries: 6, minTimeout: 200, maxTimeout: 3_000, randomize: true } as const;

/**
 * Runs one command and waits for its end. A command that fails is a result, not an error.
 * @throws VnflowError NODE_UNREACHABLE when the connection breaks or no end comes in time, NODE_PROTOCOL when there is
 * too much output; the signal's reason when aborted
 */
export async function execOn(client: Client, command: string, context: ExecContext): Promise<ExecResult> {
  const { label, signal, timeoutMs = 60_000 } = context;
  signal?.throwIfAborted();
  const gone = context.lost();
  if (gone) throw createUnreachableProblem(label, gone.message);
  const interruption = Promise.withResolvers<never>();
  const fail = (error: unknown) => interruption.reject(error);
  const onClose = () => fail(createUnreachableProblem(label, context.lost()?.message ?? 'the connection closed'));
  const onAbort = () => fail(signal?.reason);
  const timer = setTimeout(
    () => fail(createUnreachableProblem(label, `no end of a command within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  client.once('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  const over = new AbortController();
  const attempt = () => {
    context.beforeStart?.();
    return start(client, command, { ...context, over: over.signal });
  };
  try {
    const running = pRetry(attempt, { ...OPEN_AGAIN, shouldRetry: isOpenFailure, signal: over.signal });
    return await Promise.race([running, interruption.promise]);
  } catch (error) {
    over.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    client.removeListener('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * sshd has no free session for this connection (MaxSessions), so the command was not started. A session becomes free
 * when a process on it ends.
 */
class OpenFailure extends VnflowError {
  constructor(label: string, seen: string) {
    super('NODE_UNREACHABLE', { detail: `The ${label} opened no session for a command: ${seen}.`, seen });
  }
}

function isOpenFailure({ error }: { readonly error: Error }): boolean {
  return error instanceof OpenFailure;
}

/** Adds the listeners in the callback itself: the packet that opens the channel may contain the whole answer. */
function start(
  client: Client,
  command: string,
  context: ExecContext & { readonly over: AbortSignal },
): Promise<ExecResult> {
  const { label, over } = context;
  return new Promise((resolve, reject) => {
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      if (error)
        return reject(
          isRefusedChannel(error)
            ? new OpenFailure(label, error.message)
            : createUnreachableProblem(label, error.message),
        );
      over.addEventListener('abort', () => channel.destroy(), { once: true });
      if (over.aborted)
        channel.destroy(); // the caller does not wait for it any more
      else collect(channel, context, { resolve, reject });
    };
    try {
      client.exec(command, opened);
    } catch (error) {
      reject(createUnreachableProblem(label, error instanceof Error ? error.message : String(error))); // "Not connected"
    }
  });
}

/**
 * The error of ssh2 carries the reason code of SSH_MSG_CHANNEL_OPEN_FAILURE (RFC 4254, 5.1). The error of a lost
 * connection has no reason code.
 */
function isRefusedChannel(error: Error): boolean {
  return 'reason' in error && typeof error.reason === 'number';
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
      if (bytes > maxOutputBytes) reject(createOutputProblem(label, maxOutputBytes));
      else into.push(chunk);
    };
  };
  channel.on('data', gather(stdout));
  channel.stderr.on('data', gather(stderr));
  channel.on('exit', (code: number | null, signal?: string) => {
    end = code === null ? { code: -1, ...(signal ? { signal } : {}) } : { code };
  });
  channel.on('error', (error: Error) => reject(createUnreachableProblem(label, error.message)));
  channel.on('close', () => {
    if (!end) return reject(createUnreachableProblem(label, 'the connection broke before the command ended'));
    const stdoutBytes = Buffer.concat(stdout);
    const texts = {
      stdout: foreignText(stdoutBytes.toString('utf8')),
      stderr: foreignText(Buffer.concat(stderr).toString('utf8')),
    };
    resolve({ ...end, ...texts, stdoutBytes });
  });
  channel.end(stdin ?? '');
}

function createUnreachableProblem(label: string, why: string): VnflowError {
  return new VnflowError('NODE_UNREACHABLE', { detail: `The SSH session with the ${label} broke: ${why}.`, seen: why });
}

function createOutputProblem(label: string, bytes: number): VnflowError {
  return new VnflowError('NODE_PROTOCOL', { detail: `A command on the ${label} printed more than ${bytes} bytes.` });
}
