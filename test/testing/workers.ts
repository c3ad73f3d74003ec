import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { BUNDLES } from './temporal.ts';
import { Reached, type WorkerSettings } from './worker-process.ts';

const PROGRAM = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
const file = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  /** Lets a spare worker begin to work; resolves when it polls. */
  run(): Promise<void>;
  /** Lets the worker continue from a point. */
  go(token: number): void;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  readonly ended: Promise<void>;
}

/** Bundles workflows whose steps are repeated soon after a worker is lost. @returns the file */
export async function quickWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: file('../../workflows/index.ts'),
    workflowInterceptorModules: [file('./quick-patience.ts')],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
  mkdirSync(BUNDLES, { recursive: true });
  const codePath = path.join(BUNDLES, `quick-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.cjs`);
  if (!existsSync(codePath)) {
    const partial = `${codePath}.${process.pid}`;
    writeFileSync(partial, code);
    renameSync(partial, codePath); // never half a file: other tests may read it
  }
  return codePath;
}

/** A worker process, ready to run. @param onReached called at each border of an activity; the worker waits for `go` */
export function spawnWorker(settings: WorkerSettings, onReached: (reached: Reached) => void): WorkerProcess {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const said = (word: string) =>
    new Promise<void>((resolve) => child.on('message', (message) => message === word && resolve()));
  const ready = said('ready');
  const running = said('running');
  child.on('message', (message) => {
    const { data } = Reached.safeParse(message);
    if (data) onReached(data);
  });
  child.on('error', () => {}); // a message to a worker that was killed
  child.send(settings);
  return {
    pid: child.pid ?? 0,
    run: async () => {
      await Promise.race([ready, ended]);
      tell(child, 'run');
      await Promise.race([running, ended]);
    },
    go: (token) => tell(child, String(token)),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

function tell(child: ChildProcess, message: string): void {
  if (child.connected) child.send(message, () => {});
}
