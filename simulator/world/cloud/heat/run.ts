import { randomUUID } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import { ResourceFailure } from './resource-kind.ts';

/** One run of a stack's action. */
export interface Run {
  readonly controller: AbortController;
  /** True when a resource has failed; no new work starts then. */
  halted: boolean;
  /** Work in flight. */
  readonly pending: Set<Promise<void>>;
  done: Promise<void>;
}

/** The work did not start, because a resource failed before it. */
export class Halted extends Error {
  constructor() {
    super('User cancelled operation');
  }
}

export class TimedOut extends Error {}

/** The failure of a stack because of one of its resources. */
export class StackFailure extends Error {
  readonly failure: ResourceFailure;
  constructor(action: string, failure: ResourceFailure) {
    super(`Resource ${action} failed: ${failure.message}`);
    this.failure = failure;
  }
}

/** Returns the status reason of a failed stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof StackFailure || error instanceof ResourceFailure || error instanceof Halted)
    return error.message;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return String(error);
}

export function convertToFailure(error: unknown): ResourceFailure {
  if (error instanceof StackFailure) return error.failure;
  if (error instanceof ResourceFailure) return error;
  if (error instanceof Refusal && error.status === 403) {
    return new ResourceFailure('Forbidden', `${error.message} (HTTP 403) (Request-ID: req-${randomUUID()})`);
  }
  if (error instanceof Refusal) {
    return new ResourceFailure(error.status === 409 ? 'Conflict' : 'BadRequest', error.message);
  }
  return new ResourceFailure('Exception', error instanceof Error ? error.message : String(error));
}

/** Runs `work` for all names, each after the names that it requires. */
export async function runInOrder(
  requirements: ReadonlyMap<string, readonly string[]>,
  run: Run,
  work: (name: string) => Promise<void>,
): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const start = (name: string): Promise<void> => {
    const known = started.get(name);
    if (known) return known;
    const job = (async () => {
      await Promise.all((requirements.get(name) ?? []).map(start));
      run.controller.signal.throwIfAborted();
      if (run.halted) throw new Halted();
      await work(name);
    })();
    started.set(name, job);
    return job;
  };
  await Promise.all([...requirements.keys()].map(start));
}

/** Records work in flight, so that the next action can wait for its end. */
export function track(run: Run, job: Promise<void>): Promise<void> {
  run.pending.add(job);
  job.then(
    () => run.pending.delete(job),
    () => run.pending.delete(job),
  );
  return job;
}

export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
