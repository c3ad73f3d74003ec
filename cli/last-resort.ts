import { appendFileSync, writeSync } from 'node:fs';

const STDERR = 2;
const EXIT_CODE = 70; // EX_SOFTWARE of sysexits.h

const releases = new Set<() => void>();
let logFile: string | undefined;
let installed = false;

/**
 * What nothing else has caught ends this process: one structured line says why, what it holds is released, the exit code is not zero.
 * A process whose state nobody knows must not go on.
 * @param file gets the line, too
 */
export function installLastResort(file?: string): void {
  logFile = file ?? logFile;
  if (installed) return;
  installed = true;
  process.on('uncaughtException', endAtOnce);
  process.on('unhandledRejection', endAtOnce);
}

/**
 * To be released when the process ends in a way that nobody foresaw: children, a lock.
 * @param release synchronous: nothing can be awaited any more
 * @returns forgets it, when it was released in the ordinary way
 */
export function onLastResort(release: () => void): () => void {
  releases.add(release);
  return () => releases.delete(release);
}

function endAtOnce(error: unknown): never {
  const held = [...releases];
  releases.clear();
  tell(error);
  for (const release of held) {
    try {
      release();
    } catch (failure) {
      tell(failure);
    }
  }
  process.exit(EXIT_CODE);
}

/** As pino writes it; at once, because there is no later. */
function tell(error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const msg = 'a defect ends this process; operations go on where they were when it is started again';
  const line = `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, err: { type: name, message, stack }, msg })}\n`;
  try {
    writeSync(STDERR, line);
    if (logFile !== undefined) appendFileSync(logFile, line, { mode: 0o600 });
  } catch {
    // nobody reads, or the disk is full: ending is what matters
  }
}
