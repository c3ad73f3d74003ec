import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** File to which standard output and standard error are appended. */
  readonly log: string;
  readonly options?: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'detached'>;
}

/** Starts a process whose output goes to a file, so that no reader is needed. */
export function startProcess({ program, args, env = process.env, log, options = {} }: Command): ChildProcess {
  const output = openSync(log, 'a', 0o600);
  try {
    return spawn(program, args, { ...options, env, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Sends SIGKILL. A process that has just ended is no error. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process ended by itself
  }
}

/** The processes that descend from a process, and the process itself. */
export function familyOf(pid: number): number[] {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    return [pid];
  }
  return [pid, ...children.split(' ').map(Number).filter(Boolean).flatMap(familyOf)];
}

/** Stops processes with SIGSTOP, with their descendants. @returns wakes them */
export function pauseFamily(pid: number, without: readonly number[] = []): () => void {
  const family = familyOf(pid).filter((one) => !without.includes(one));
  const send = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const one of family) {
      try {
        process.kill(one, signal);
      } catch {
        // the process ended by itself
      }
    }
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}

/** Ends a process with SIGTERM, and after a while with SIGKILL. */
export async function endProcess(child: ChildProcess, patienceMs = 20_000): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  await waitUntil(() => hasEnded(child), patienceMs);
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await waitUntil(() => hasEnded(child), 5_000);
}

/** Waits until a condition holds. @returns false at the time limit */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 100,
): Promise<boolean> {
  const end = Date.now() + limitMs;
  for (;;) {
    if (await isTrue()) return true;
    if (Date.now() > end) return false;
    await delay(everyMs);
  }
}

/** Finds a free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
