import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Both outputs are added to it. */
  readonly log: string;
  readonly options?: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'detached'>;
}

/** @returns the process, whose output lies in a file: nobody has to read it */
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

/** kill -9. A process that has just ended is no reason to complain. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone by itself
  }
}

/** SIGTERM, and SIGKILL after a while. */
export async function endProcess(child: ChildProcess, patienceMs = 20_000): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  await until(() => hasEnded(child), patienceMs);
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await until(() => hasEnded(child), 5_000);
}

/** @returns did it come true in time? */
export async function until(
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

/** A port of 127.0.0.1 where nobody listens. */
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
