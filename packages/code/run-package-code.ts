import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { VnflowError } from '../../domain/problems.ts';
import {
  asUser,
  DEFAULT_LIMITS,
  FIRST_USER,
  findIsolation,
  type Isolation,
  isolatedCommand,
  LAST_USER,
  type Limits,
  SAFE_PATH,
} from './isolation.ts';
import { makeWorkingCopy, type WorkingCopy, type WorkingCopySources } from './working-copy.ts';

/** What run_package_code.py takes, besides the directory of the package. */
export interface PackageCodeTask {
  readonly what: 'userData' | 'hook';
  /** Path in the package. */
  readonly file: string;
  readonly [member: string]: unknown;
}

export interface PackageCodeOptions {
  readonly package: Pick<WorkingCopySources, 'files' | 'flavours'>;
  readonly timeLimitSeconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Undefined: what the machine allows, found out once per process. */
  readonly isolation?: Isolation;
  readonly limits?: Partial<typeof DEFAULT_LIMITS>;
}

export interface PackageCodeResult {
  /** What the runner answered: JSON that nobody has checked yet. */
  readonly answer: unknown;
  /** The end of what the code printed. */
  readonly said: string;
}

const MOST_ANSWER_BYTES = 8 * 1024 ** 2;
const MOST_SAID_BYTES = 8 * 1024 ** 2;
const TAIL_CHARACTERS = 2000;
/** Pipes that are open after this time belong to a process that has escaped. */
const PIPE_GRACE_MS = 500;
/** Most time that processes which were killed get to disappear. */
const CLEANUP_MS = 10_000;

let found: Promise<Isolation> | undefined;

/** What this machine allows. @throws VnflowError PACKAGE_CODE_UNAVAILABLE */
export function machineIsolation(): Promise<Isolation> {
  found ??= findIsolation().catch((error: unknown) => {
    found = undefined; // somebody may install Python meanwhile
    throw error;
  });
  return found;
}

/**
 * Runs code of a VNF package in a process of its own, within limits, with a copy of the package and an empty
 * environment. When it returns or throws, no process and no file of the code is left.
 * @throws VnflowError PACKAGE_CODE_FAILED with the end of what the code said, when it ends with an error, exceeds a
 * limit, or answers nothing; PACKAGE_CODE_UNAVAILABLE
 */
export async function runPackageCode(task: PackageCodeTask, options: PackageCodeOptions): Promise<PackageCodeResult> {
  const isolation = options.isolation ?? (await machineIsolation());
  const user = isolation.ownUser ? chooseUser() : undefined;
  try {
    const copy = await makeWorkingCopy({ ...options.package, user });
    try {
      return await runInCopy(task, { ...options, isolation, user, copy });
    } finally {
      await copy.remove();
    }
  } finally {
    if (user !== undefined) {
      removeFilesOf(user);
      usersInUse.delete(user);
    }
  }
}

interface Run extends PackageCodeOptions {
  readonly isolation: Isolation;
  readonly user: number | undefined;
  readonly copy: WorkingCopy;
}

async function runInCopy(task: PackageCodeTask, run: Run): Promise<PackageCodeResult> {
  const { copy, isolation, signal, timeLimitSeconds } = run;
  signal?.throwIfAborted();
  const limits: Limits = { ...DEFAULT_LIMITS, ...run.limits, seconds: timeLimitSeconds };
  const mark = randomBytes(16).toString('hex');
  const program = [isolation.python, '-I', '-B', copy.runner];
  const [command = '', ...parameters] = isolatedCommand(isolation, run.user ?? FIRST_USER, program, limits);
  const child = spawn(command, parameters, {
    cwd: copy.home,
    detached: true,
    env: { PATH: SAFE_PATH, HOME: copy.home, TMPDIR: copy.home, LANG: 'C.UTF-8', [MARK]: mark },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const watch = watchChild(child, { timeLimitSeconds, signal });
  child.stdin?.on('error', () => {}); // the code may end before it has read its task
  child.stdin?.end(JSON.stringify({ ...task, packageDir: copy.packageDir }));
  try {
    const ended = await watch.ended;
    signal?.throwIfAborted();
    if (ended !== undefined) throw createFailure(task, ended, watch.said());
    return { answer: parsed(task, watch), said: watch.said() };
  } finally {
    await killAll(child, { user: run.user, mark, isolation });
  }
}

/** Why a run has failed, as the end of a sentence. */
type Failure = string | undefined;

interface Watch {
  /** Resolves when the process has ended; it is killed at a limit. */
  readonly ended: Promise<Failure>;
  said(): string;
  answer(): string;
}

function watchChild(
  child: ChildProcess,
  { timeLimitSeconds, signal }: Pick<PackageCodeOptions, 'timeLimitSeconds' | 'signal'>,
): Watch {
  let failure: Failure;
  let said = '';
  let saidBytes = 0;
  const answer: Buffer[] = [];
  let answerBytes = 0;
  const kill = (reason: string) => {
    failure ??= reason;
    killGroup(child);
  };
  const hear = (piece: Buffer) => {
    saidBytes += piece.length;
    said = (said + piece.toString('utf8')).slice(-TAIL_CHARACTERS);
    if (saidBytes > MOST_SAID_BYTES) kill(`it printed more than ${MOST_SAID_BYTES} bytes`);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.stdio[3]?.on('data', (piece: Buffer) => {
    answerBytes += piece.length;
    if (answerBytes > MOST_ANSWER_BYTES) kill(`its result has more than ${MOST_ANSWER_BYTES} bytes`);
    else answer.push(piece);
  });
  const timer = setTimeout(() => kill(`it ran longer than ${timeLimitSeconds} s`), timeLimitSeconds * 1000);
  const abort = () => kill('it was stopped');
  signal?.addEventListener('abort', abort, { once: true });
  const ended = (async () => {
    try {
      const closed = once(child, 'close');
      const [code, signalName] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      await Promise.race([closed, delay(PIPE_GRACE_MS)]);
      if (failure !== undefined) return failure;
      if (signalName !== null) return `it was ended by ${signalName}`;
      return code === 0 ? undefined : `it ended with exit code ${code}`;
    } catch (error) {
      return `it could not be started: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  })();
  return { ended, said: () => said.trim(), answer: () => Buffer.concat(answer).toString('utf8') };
}

function parsed(task: PackageCodeTask, watch: Watch): unknown {
  try {
    return JSON.parse(watch.answer()) as unknown;
  } catch {
    throw createFailure(task, 'it ended without a result', watch.said());
  }
}

function createFailure({ file }: PackageCodeTask, reason: string, said: string): VnflowError {
  return new VnflowError('PACKAGE_CODE_FAILED', {
    detail: `${file} of the VNF package failed: ${reason}.`,
    ...(said === '' ? {} : { seen: said }),
  });
}

// -- nothing is left -----------------------------------------------------------------------------------------------

const MARK = 'VNFLOW_PACKAGE_CODE_RUN';
const usersInUse = new Set<number>();
const execute = promisify(execFile);

/** Ends every process of a run, also those that have left its process group. */
async function killAll(
  child: ChildProcess,
  {
    user,
    mark,
    isolation,
  }: { readonly user: number | undefined; readonly mark: string; readonly isolation: Isolation },
): Promise<void> {
  killGroup(child);
  for (const stream of child.stdio) stream?.destroy();
  if (user !== undefined) {
    // The kernel sends the signal to every process of the user at once: none can fork before it gets it.
    const [program = '', ...parameters] = [...asUser(user), 'sh', '-c', 'kill -KILL -1'];
    await execute(program, parameters, { env: { PATH: SAFE_PATH } }).catch(() => {}); // no process is left
    await untilEnded(user);
  } else if (!isolation.namespaces) {
    for (let pids = marked(mark); pids.length > 0; pids = marked(mark)) {
      for (const pid of pids) kill(pid);
      await delay(20);
    }
  }
}

/** A process that was killed is there until the kernel has cleaned up after it. */
async function untilEnded(user: number): Promise<void> {
  const end = Date.now() + CLEANUP_MS;
  while (usersWithProcesses().includes(user) && Date.now() < end) await delay(20);
}

/** The processes that have inherited the mark. */
function marked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && contentOf(`/proc/${name}/environ`).includes(mark))
    .map(Number);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}

/** A user that nothing on this machine runs as. */
function chooseUser(): number {
  const taken = new Set([...usersInUse, ...usersWithProcesses()]);
  for (;;) {
    const user = randomInt(FIRST_USER, LAST_USER + 1);
    if (taken.has(user)) continue;
    usersInUse.add(user);
    return user;
  }
}

function usersWithProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const [, user] = /^\d+$/.test(name) ? (/^Uid:\s+(\d+)/m.exec(contentOf(`/proc/${name}/status`)) ?? []) : [];
    return user === undefined ? [] : [Number(user)];
  });
}

/** Files that the code has left where everybody may write. */
function removeFilesOf(user: number): void {
  for (const folder of new Set(['/tmp', '/var/tmp', '/dev/shm', tmpdir()])) {
    for (const name of namesIn(folder)) {
      const file = path.join(folder, name);
      if (ownerOf(file) === user) rmSync(file, { recursive: true, force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function ownerOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.uid;
}
