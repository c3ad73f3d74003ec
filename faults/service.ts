import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, endProcess, hasEnded, killNow, startProcess, waitUntil } from './child.ts';

/** A process that is restarted when it ends, as docker compose does with `restart: unless-stopped`. */
export interface Service {
  readonly name: string;
  readonly log: string;
  /** Kills the process with SIGKILL; it stays down until `startAfter`. @throws Error when it does not run */
  kill(): void;
  /** Id of the process. @throws Error when it does not run */
  pid(): number;
  startAfter(downMs: number): Promise<void>;
  /** Descriptions of the ends of the process, other than by `kill`, since the last call. */
  takeEnds(): string[];
  stop(): Promise<void>;
}

const PAUSE_MS = 1_000;
/** Limit from kill -9 until the system has removed the process. */
const END_LIMIT_MS = 30_000;

export function superviseProcess(name: string, command: Command, { stopMs = 20_000 } = {}): Service {
  const ends: string[] = [];
  let isWanted = true;
  let isHeld = false;
  let child = start();

  function start(): ChildProcess {
    const started = startProcess(command);
    started.once('exit', (code, signal) => {
      if (started !== child || !isWanted || isHeld) return;
      ends.push(`${name} ended with ${code ?? signal}`);
      void delay(PAUSE_MS).then(() => {
        if (isWanted && !isHeld) child = start();
      });
    });
    return started;
  }

  return {
    name,
    log: command.log,
    kill: () => {
      if (child.pid === undefined || hasEnded(child)) throw new Error(`${name} does not run: nothing to kill`);
      isHeld = true;
      killNow(child.pid);
    },
    pid: () => {
      if (child.pid === undefined || hasEnded(child)) throw new Error(`${name} does not run`);
      return child.pid;
    },
    startAfter: async (downMs) => {
      await delay(downMs);
      await waitUntil(() => hasEnded(child), END_LIMIT_MS, 10);
      isHeld = false;
      child = start();
    },
    takeEnds: () => ends.splice(0),
    stop: async () => {
      isWanted = false;
      await endProcess(child, stopMs);
    },
  };
}
