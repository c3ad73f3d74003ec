/** A Debian package in one version: what it needs and what it puts on a machine. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly depends?: readonly string[];
  /** Paths of executables; the simulator's command of the same name answers for each. */
  readonly programs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly directories?: readonly string[];
  /** Services that it enables and starts. */
  readonly starts?: readonly string[];
  /** Services that it enables only. */
  readonly enables?: readonly string[];
}

export function unitFileText(description: string, start: string): string {
  return `[Unit]\nDescription=${description}\nAfter=network-online.target\n\n[Service]\nExecStart=${start}\nRestart=always\n\n[Install]\nWantedBy=multi-user.target\n`;
}

/** The version of the program itself: without epoch and Debian revision. */
export function upstreamVersion(version: string): string {
  return version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}
