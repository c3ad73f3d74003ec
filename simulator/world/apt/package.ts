/** A Debian package in one version: its dependencies and its files. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly depends?: readonly string[];
  /** Paths of executables. Each runs the simulated command of its name. */
  readonly programs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly directories?: readonly string[];
  /** Services that the package enables and starts. */
  readonly starts?: readonly string[];
  /** Services that the package enables and does not start. */
  readonly enables?: readonly string[];
}

export function unitFileText(description: string, start: string): string {
  return `[Unit]\nDescription=${description}\nAfter=network-online.target\n\n[Service]\nExecStart=${start}\nRestart=always\n\n[Install]\nWantedBy=multi-user.target\n`;
}

/** Returns the upstream version: without epoch and Debian revision. */
export function upstreamVersion(version: string): string {
  return version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}
