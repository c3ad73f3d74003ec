import { setTimeout as delay } from 'node:timers/promises';

/** Simulated time: runs `speed` times as fast as the wall clock. Time stamps in API answers stay wall-clock time. */
export interface Clock {
  readonly speed: number;
  /** Simulated seconds since the simulated world began (survives restarts; stands still while the simulator is down). */
  elapsed(): number;
  /** Waits `seconds` of simulated time. Rejects with AbortError when `signal` fires. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

/** @param speed simulated seconds per real second @param startedAt simulated seconds already elapsed in earlier runs */
export function createClock(speed: number, startedAt = 0): Clock {
  const origin = performance.now();
  return {
    speed,
    elapsed: () => startedAt + ((performance.now() - origin) / 1000) * speed,
    sleep: async (seconds, signal) => {
      const ms = (seconds * 1000) / speed;
      if (ms > 0) await delay(ms, undefined, signal ? { signal } : {});
      else signal?.throwIfAborted();
    },
  };
}
