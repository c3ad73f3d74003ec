import type { Victim } from './scenario.ts';

/** vnflow as real processes, with a simulated cloud. */
export interface Place {
  readonly shape: 'up' | 'production';
  /** Requests take turns. */
  readonly apiUrls: readonly string[];
  readonly simulatorUrl: string;
  readonly authUrl: string;
  /** host:port */
  readonly temporalAddress: string;
  /** Where the store can be read beside the processes. */
  readonly databaseUrl?: string;
  /** What can be killed here. */
  readonly victims: readonly Victim[];
  /** Logs and data. */
  readonly directory: string;
  /** kill -9. @throws Error when it does not run: a round without a kill proves nothing */
  kill(victim: Victim): void;
  /**
   * Waits until everything serves again after a kill.
   * @param downMs how long the victim stays away, if it is not started again by vnflow itself
   * @returns what had to be started or killed by hand, and is no good sign
   * @throws Error when that does not help
   */
  recover(downMs: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface PlaceOptions {
  readonly directory: string;
  /** Simulated seconds per second. */
  readonly speed: number;
}
