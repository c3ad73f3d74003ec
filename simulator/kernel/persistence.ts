import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A part of the simulated world whose state survives the process. The state is plain JSON. */
export interface Part<T> {
  readonly state: T;
  /**
   * Marks `state` as changed. It is written within 100 ms, or ten times the duration of the last write if that is
   * longer.
   */
  changed(): void;
  /** Writes the state at once. Call it before a client gets a successful answer. */
  flush(): void;
  /** Removes the part from the disk. */
  remove(): void;
}

export interface Persistence {
  part<T>(name: string, initial: () => T): Part<T>;
  /** Writes all pending changes. */
  flushAll(): void;
}

/** @param directory holds one JSON file per part; undefined when the state lives in memory only */
export function createPersistence(directory?: string): Persistence {
  const parts = new Set<() => void>();
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    part: <T>(name: string, initial: () => T): Part<T> => {
      const file = directory === undefined ? undefined : path.join(directory, `${name}.json`);
      const state = (file !== undefined ? readState<T>(file) : undefined) ?? initial();
      let timer: NodeJS.Timeout | undefined;
      let pause = 100;
      const flush = () => {
        if (timer) clearTimeout(timer);
        timer = undefined;
        if (file === undefined) return;
        const began = performance.now();
        writeFileSync(`${file}.part`, JSON.stringify(state), { mode: 0o600 });
        renameSync(`${file}.part`, file);
        // Writing a big state may use a tenth of the process's time, and no more.
        pause = Math.max(100, (performance.now() - began) * 10);
      };
      const flushPending = () => {
        if (timer) flush();
      };
      parts.add(flushPending);
      return {
        state,
        changed: () => {
          timer ??= setTimeout(flush, pause).unref();
        },
        flush,
        remove: () => {
          if (timer) clearTimeout(timer);
          timer = undefined;
          parts.delete(flushPending);
          if (file !== undefined) rmSync(file, { force: true });
        },
      };
    },
    flushAll: () => {
      for (const flushPending of parts) flushPending();
    },
  };
}

function readState<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
