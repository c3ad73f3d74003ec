import { appendFileSync, writeSync } from 'node:fs';

const STDERR = 2;
const EXIT_CODE = 70; // EX_SOFTWARE of sysexits.h

const releases = new Set<() => void>();
let logFile: string | undefined;
let installed = false;

/**
 * Ends this process at an error that no code has caught: writes one structured line with the reason, releases children
 * and locks, and exits with a code other than zero. The process must not go on, because its state is undefined.
 * @param file log to which the line is appended, too
 */
export function installLastResort(file?: string): void {
  logFile = file ?? logFile;
  if (installed) return;
  installed = true;
  process.on('uncaughtException', endAtOnce);
  process.on('unhandledRejection', endAtOnce);
}

/**
 * Registers the release of a child or a lock for the case that an uncaught error ends the process.
 * @param release synchronous, because nothing can be awaited then
 * @returns removes the registration, after an ordinary release
 */
export function onLastResort(release: () => void): () => void {
  releases.add(release);
  return () => releases.delete(release);
}

/**
 * True for an error that can come only after the connection to Temporal was closed, because this process stops: the
 * timer of a call that was to be repeated throws (@temporalio/client 1.24, `grpc-retry.js`). Nothing is broken then.
 */
function isLateRetry(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.message === 'Channel has been shut down' &&
    /@temporalio.client.lib.grpc-retry/.test(error.stack ?? '')
  );
}

function endAtOnce(error: unknown): void {
  if (isLateRetry(error)) return;
  logFatal(error);
  releaseAll();
  process.exit(EXIT_CODE);
}

/** Releases children and locks at once, and exits: a person does not want to wait for a start that goes on. */
export function exitAtOnce(code: number): never {
  releaseAll();
  process.exit(code);
}

function releaseAll(): void {
  const held = [...releases];
  releases.clear();
  for (const release of held) {
    try {
      release();
    } catch (failure) {
      logFatal(failure);
    }
  }
}

/** Writes a line in the format of pino, synchronously, because the process ends right after it. */
function logFatal(error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const msg = 'a defect ends this process; operations continue when it is started again';
  const line = `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, err: { type: name, message, stack }, msg })}\n`;
  try {
    writeSync(STDERR, line);
    if (logFile !== undefined) appendFileSync(logFile, line, { mode: 0o600 });
  } catch {
    // stderr is closed, or the disk is full: the process must end anyway
  }
}
