import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** A process id can be given to a later process. Together with the time of its start it identifies one process. */
export const ProcessIdentity = z.object({ pid: z.int().positive(), startedAt: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** Field 22 of /proc/PID/stat, counted after the name, which may contain spaces and brackets. */
const START_TIME_AFTER_NAME = 19;
const LOOK_EVERY_MS = 50;

/** Identifies a running process. @returns undefined when there is no such process; a zombie counts as none */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identityOf(pid)?.startedAt === startedAt;
}

/**
 * Ends a process with SIGTERM, and with SIGKILL when that does not help. Resolves when the process is gone.
 * @param patienceMs between the two signals
 */
export async function stopProcess(identity: ProcessIdentity, patienceMs = 8_000): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(identity)) return;
    send(identity.pid, signal);
    const until = Date.now() + patienceMs;
    while (Date.now() < until && isAlive(identity)) await delay(LOOK_EVERY_MS);
  }
}

/**
 * Ends several processes synchronously, for a process that cannot await anything any more.
 * @param patienceMs between the two signals
 */
export function stopProcessesAtOnce(identities: readonly ProcessIdentity[], patienceMs = 3_000): void {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const identity of identities.filter(isAlive)) send(identity.pid, signal);
    const until = Date.now() + patienceMs;
    const clock = new Int32Array(new SharedArrayBuffer(4));
    while (Date.now() < until && identities.some(isAlive)) Atomics.wait(clock, 0, 0, LOOK_EVERY_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // the process ended meanwhile
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[START_TIME_AFTER_NAME];
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const [state = '', ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', `${pid}`], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state.startsWith('Z') || start.length === 0 ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
