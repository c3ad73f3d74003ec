/** A unit as systemd knows it on a machine. Plain JSON. */
export interface UnitState {
  readonly name: string;
  readonly description: string;
  /** What `systemctl start` was asked for; the kubelet may still crash-loop. */
  active: 'active' | 'inactive' | 'failed';
  enabled: boolean;
  /** When the state last changed, ISO 8601. */
  since: string;
  result: 'success' | 'exit-code' | 'timeout' | 'signal';
  exitCode: number;
  pid: number;
  /** The configuration file as it was at the last start or reload: what runs may be older than the file. */
  loaded?: string;
  /** Present: a transient unit made by systemd-run. */
  readonly transient?: Transient;
}

export interface Transient {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly standardOutput: string;
  readonly standardError: string;
  readonly umask: number;
  readonly runtimeMaxSeconds: number | null;
  readonly collect: boolean;
  readonly remainAfterExit: boolean;
  readonly slice: string;
  /**
   * The files of the unit's own directory as they were when it began. When the simulator's process dies the unit goes on
   * from the top with these, as if the machine had been paused: nobody outside sees a second start.
   */
  readonly before: { readonly directory: string; readonly files: Readonly<Record<string, unknown>> } | null;
  /** Simulated time of the start. */
  readonly startedAt: number;
}
