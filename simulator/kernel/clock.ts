/** The longest time that a timer of Node can wait, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Sleeper {
  /** Simulated time at which it wakes up. */
  readonly until: number;
  readonly wake: () => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Simulated time: runs `speed` times as fast as the wall clock. Time stamps in API answers stay wall-clock time.
 * A test that must catch a moment changes the speed instead of hoping to be quick enough.
 */
export class Clock {
  readonly #sleepers = new Set<Sleeper>();
  #speed: number;
  /** Simulated seconds at `#origin`. */
  #base: number;
  /** Wall-clock time of the start, or of the last change of the speed, milliseconds. */
  #origin = performance.now();

  /**
   * @param speed simulated seconds per real second @param startedAt simulated seconds already elapsed in earlier runs
   */
  constructor(speed: number, startedAt = 0) {
    this.#speed = speed;
    this.#base = startedAt;
  }

  /** Simulated seconds per real second. */
  get speed(): number {
    return this.#speed;
  }

  /** Changes the speed, also for sleeps under way. @param speed simulated seconds per real second; 0 stops the time */
  setSpeed(speed: number): void {
    this.#base = this.elapsed();
    this.#origin = performance.now();
    this.#speed = speed;
    for (const sleeper of this.#sleepers) this.#arm(sleeper);
  }

  /**
   * Simulated seconds since the simulated world began. They survive restarts and stand still while the simulator is
   * down.
   */
  elapsed(): number {
    return this.#base + ((performance.now() - this.#origin) / 1000) * this.#speed;
  }

  /** Waits `seconds` of simulated time. Rejects with AbortError when `signal` fires. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(createAbortError(signal));
    if (seconds <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(sleeper.timer);
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        end();
        reject(createAbortError(signal));
      };
      const wake = () => {
        end();
        resolve();
      };
      const sleeper: Sleeper = { until: this.elapsed() + seconds, wake, timer: undefined };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
      this.#arm(sleeper);
    });
  }

  #arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    if (this.#speed === 0) return;
    const ms = Math.max(0, ((sleeper.until - this.elapsed()) * 1000) / this.#speed);
    sleeper.timer =
      ms > LONGEST_TIMER_MS ? setTimeout(() => this.#arm(sleeper), LONGEST_TIMER_MS) : setTimeout(sleeper.wake, ms);
  }
}

function createAbortError(signal: AbortSignal | undefined): DOMException {
  return new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason });
}
