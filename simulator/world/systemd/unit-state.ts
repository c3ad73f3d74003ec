/** The state of a systemd unit. Plain JSON. */
export interface UnitState {
  readonly name: string;
  readonly description: string;
  /** The state after `systemctl start`; the kubelet may still crash-loop. */
  active: 'active' | 'inactive' | 'failed';
  enabled: boolean;
  /** Time of the last change of the state, ISO 8601. */
  since: string;
  result: 'success' | 'exit-code' | 'timeout' | 'signal';
  exitCode: number;
  pid: number;
  /** The configuration that was read at the last start or reload; the file may be newer. */
  loaded?: string;
  /** The environment of the process, from the unit's files. Undefined for other units than services of files. */
  environment?: Readonly<Record<string, string>>;
  /** True after `daemon-reload`, until the next start: until then systemd uses the files as it read them before. */
  isReloaded?: boolean;
  /** The settings of a transient unit made by systemd-run. Undefined for other units. */
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
   * The files of the unit's directory when it began. When the simulator's process dies, the unit restarts with these
   * files, as if the machine had been paused: the outside sees one start.
   */
  readonly before: { readonly directory: string; readonly files: Readonly<Record<string, unknown>> } | null;
  /** Simulated time of the start. */
  readonly startedAt: number;
}
