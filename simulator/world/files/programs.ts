/**
 * An executable on a simulated machine is a file whose first lines name the simulated command. So an executable can be
 * downloaded, copied, moved and renamed like any file, and a command exists exactly where its file is.
 */
export interface Program {
  readonly name: string;
  readonly version: string;
}

const FIRST_LINES = /^#!\/bin\/sh\n\/bin\/([\w.+-]+) "\$@"\n# version (\S+)\n/;

/** Makes an executable. @param rest further content of the file, for example its origin */
export function programFile(name: string, version: string, rest = ''): string {
  return `#!/bin/sh\n/bin/${name} "$@"\n# version ${version}\n${rest}`;
}

export function programIn(bytes: string): Program | undefined {
  const [, name, version] = FIRST_LINES.exec(bytes) ?? [];
  return name !== undefined && version !== undefined ? { name, version } : undefined;
}

/** The directories that are searched for commands. */
export const PROGRAM_DIRECTORIES = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/snap/bin',
  '/opt/cni/bin',
] as const;
