import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { VnflowError } from '../../domain/problems.ts';

/** How the code of packages is kept apart from the machine, as far as the machine allows it. */
export interface Isolation {
  /** Path of the interpreter, which a user without rights can execute, too. */
  readonly python: string;
  /** Whether the code runs as a user of its own. Only root can change the user. */
  readonly ownUser: boolean;
  /** Whether the code sees no network, and whether it has a process namespace, which ends with it. */
  readonly namespaces: boolean;
  /** The program and its arguments that make the namespaces: before the user changes, or after that. */
  readonly unshare: { readonly before: readonly string[]; readonly after: readonly string[] };
}

const NAMESPACES = ['--net', '--pid', '--fork', '--kill-child'];
const WITHOUT_RIGHTS = ['unshare', '--user', '--map-current-user', ...NAMESPACES];

/** The ways to make namespaces, the best first. The last one makes none. */
const WAYS: readonly (Isolation['unshare'] & { readonly needsRoot?: true })[] = [
  { needsRoot: true, before: ['unshare', '--mount', ...NAMESPACES, '--mount-proc'], after: [] },
  { before: [], after: [...WITHOUT_RIGHTS, '--mount-proc'] },
  { before: [], after: WITHOUT_RIGHTS },
  { before: [], after: [] },
];

/** Users that no account has: systemd takes them for services with `DynamicUser=`. */
export const FIRST_USER = 61184;
export const LAST_USER = 65519;

const run = promisify(execFile);
const PROBE_MS = 15_000;

/**
 * Finds out what this machine allows, by trying it.
 * @param isRoot whether vnflow may change the user
 * @throws VnflowError PACKAGE_CODE_UNAVAILABLE without Python 3, or without prlimit and setpriv
 */
export async function findIsolation(isRoot = process.getuid?.() === 0): Promise<Isolation> {
  const ownUser = isRoot;
  const python = await findPython(ownUser);
  for (const { needsRoot = false, ...unshare } of WAYS) {
    if (needsRoot && !isRoot) continue;
    const isolation = { python, ownUser, namespaces: unshare.before.length + unshare.after.length > 0, unshare };
    const command = isolatedCommand(isolation, FIRST_USER, [python, '-I', '-c', 'pass']);
    if (await works(command)) return isolation;
  }
  throw createUnavailableProblem('Python does not start under prlimit and setpriv (Debian: util-linux)');
}

/**
 * setpriv has its rights until it has started a program, so only a second start shows what a user without rights may.
 */
const START_ANOTHER = 'import subprocess, sys; subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)';

/**
 * Code of packages runs as a user of its own only. As vnflow's user it could read the key that opens all secrets: in
 * the environment of the worker, or in its data directory.
 * @throws VnflowError PACKAGE_CODE_UNAVAILABLE
 */
export function checkOwnUser({ ownUser }: Pick<Isolation, 'ownUser'>): void {
  if (ownUser) return;
  throw createUnavailableProblem("the worker does not run as root, and as vnflow's own user it could read its secrets");
}

/** The first interpreter that works, also for a user without rights; one with PyYAML before one without it. */
async function findPython(ownUser: boolean): Promise<string> {
  const named = await run('python3', ['-c', 'import sys; print(sys.executable)'], { timeout: PROBE_MS })
    .then(({ stdout }) => [stdout.trim()])
    .catch(() => []);
  const candidates = [...new Set([...named, '/usr/bin/python3', '/usr/local/bin/python3'])];
  const user = ownUser ? asUser(FIRST_USER) : [];
  for (const test of ['import yaml', 'pass']) {
    for (const python of candidates) {
      if (await works([...user, python, '-I', '-c', `${test}; ${START_ANOTHER}`])) return python;
    }
  }
  throw createUnavailableProblem('this machine has no Python 3');
}

function createUnavailableProblem(reason: string): VnflowError {
  return new VnflowError('PACKAGE_CODE_UNAVAILABLE', { detail: `Code of VNF packages cannot run here: ${reason}.` });
}

async function works([program = '', ...parameters]: readonly string[]): Promise<boolean> {
  return run(program, parameters, { timeout: PROBE_MS, env: { PATH: SAFE_PATH } }).then(
    () => true,
    () => false,
  );
}

export const SAFE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The start of a command line that runs a program as a user without any rights. */
export function asUser(user: number): string[] {
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--no-new-privs'];
}

/** What a process of package code may use. */
export interface Limits {
  /** Bytes of address space of one process. */
  readonly memoryBytes: number;
  /** Processes of the code at a time. It counts for a user of its own only. */
  readonly processes: number;
  /** Bytes of a file that it writes. */
  readonly fileBytes: number;
  /** Seconds, both of processor time of a process and of the whole run. */
  readonly seconds: number;
}

export const DEFAULT_LIMITS: Omit<Limits, 'seconds'> = {
  memoryBytes: 512 * 1024 ** 2,
  processes: 32,
  fileBytes: 64 * 1024 ** 2,
};

/** The command line that runs a program isolated, and within limits. */
export function isolatedCommand(
  { unshare, ownUser }: Pick<Isolation, 'unshare' | 'ownUser'>,
  user: number,
  program: readonly string[],
  limits: Limits = { ...DEFAULT_LIMITS, seconds: 10 },
): string[] {
  const { memoryBytes, processes, fileBytes, seconds } = limits;
  return [
    ...unshare.before,
    'prlimit',
    `--as=${memoryBytes}`,
    `--cpu=${seconds}`,
    `--fsize=${fileBytes}`,
    '--nofile=256',
    '--core=0',
    ...(ownUser ? [`--nproc=${processes}`, ...asUser(user)] : []),
    ...unshare.after,
    ...program,
  ];
}
