import type { Victim } from './scenario.ts';

/** vnflow in real processes, with a simulated cloud. */
export interface Place {
  readonly shape: 'up' | 'production';
  /** URLs of the APIs. Requests are sent to them in turn. */
  readonly apiUrls: readonly string[];
  readonly simulatorUrl: string;
  readonly authUrl: string;
  /** Address of Temporal, host:port. */
  readonly temporalAddress: string;
  /** URL of a store that other processes can read. Undefined with an embedded store. */
  readonly databaseUrl?: string;
  /** The parts that can be killed here. */
  readonly victims: readonly Victim[];
  /** Folder of logs and data. */
  readonly directory: string;
  /** Kills a part with SIGKILL. @throws Error when the part does not run: a round without a kill proves nothing */
  kill(victim: Victim): void;
  /** Stops a part with SIGSTOP. @returns wakes it with SIGCONT @throws Error as `kill` */
  pause(victim: Victim): () => void;
  /**
   * Leaves no room on the disk of the store (in the shape `up` on that of Temporal's database and the logs, too).
   * Undefined where this process may not mount file systems.
   * @returns makes room again
   */
  readonly fillDisk?: (() => () => void) | undefined;
  /** Ids of all processes, for the account of CPU time. */
  processes(): readonly number[];
  /** Files that may contain no secret: logs, and databases of Temporal. */
  readonly openFiles: () => readonly string[];
  /** `host:port` of the bastion. */
  readonly bastion: string;
  /**
   * Waits until everything serves again after a kill.
   * @param downMs how long the victim stays down, unless vnflow itself restarts it
   * @returns processes that the script had to start or kill; vnflow should have recovered without that
   * @throws Error when not everything serves in time
   */
  recover(downMs: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface PlaceOptions {
  readonly directory: string;
  /** Simulated seconds per second. */
  readonly speed: number;
  /** The checkout whose vnflow runs. */
  readonly root: string;
  /** Wall-clock seconds that a token of Keystone lives. Undefined: an hour. */
  readonly tokenLifetime?: number;
}
