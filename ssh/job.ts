import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { VnflowError } from '../domain/problems.ts';
import { type SpanNotes, traceCall, withoutSpans } from '../tracing/spans.ts';
import {
  forgetSecretsCommand,
  JOB_ROOT,
  lookCommand,
  startCommand,
  stopCommand,
  storeScriptCommand,
} from './job-commands.ts';
import { createProfileProblem, type JobLook, parseLook } from './job-look.ts';
import { createLogLines, type LogLines } from './log-lines.ts';
import { secretVariables } from './log-redaction.ts';
import { createLogTail, type LogTail } from './log-tail.ts';
import { environmentFile } from './quote.ts';
import type { SshSession } from './session.ts';
import { execAsRoot, sudoCommand } from './sudo.ts';

const LOG_BYTES_PER_LOOK = 64 * 1024;
/** When a log has grown by more than this since the last look, only its end is read. */
const MOST_LOG_BYTES = 1024 * 1024;
/**
 * Limits all looks of this process to about 12 a second: the more jobs, the fewer looks at each. A look waits on the
 * node for the end of the job, so an end is still noticed at once.
 */
const MS_PER_FOLLOWED_JOB = 80;
let followed = 0;

export interface Job {
  /** See `jobId`. A call with the id of an earlier job attaches to that job, or returns its success. */
  readonly id: string;
  /** Shown by `systemctl status` on the node, and in messages. */
  readonly description: string;
  readonly script: Buffer | string;
  /** Arguments of the script, as a rule the phase. Visible in the process list: never a secret. */
  readonly args: readonly string[];
  /** Parameters of the script, with any values. They reach the node only through standard input and a 0600 file. */
  readonly env: Readonly<Record<string, string>>;
  /** Values to redact in log tails, besides the values in `env` whose names say so (…PASSWORD, TOKEN, SECRET, KEY). */
  readonly secrets?: readonly string[];
  readonly timeLimitSeconds: number;
  /**
   * Id of the operation, with which `id` begins. The start of the job removes what jobs of earlier operations have left on
   * the node; without it, nothing is removed.
   */
  readonly operation?: string;
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called after each look, with the last lines of the log without secrets. Activities send their heartbeat here. */
  onProgress?(logTail: string): void;
  /** Called after each look with the lines that are new in the log, without secrets. */
  onLog?(lines: string): void;
  /**
   * Called with the secret outputs before they are removed from the node, so that a crash in between loses none of
   * them.
   */
  sealSecrets?(secretOutputs: Readonly<Record<string, string>>): Promise<void>;
  readonly pollMs?: { readonly min: number; readonly max: number };
  /** Directory of the jobs on the node. Only tests set it. */
  readonly root?: string;
}

export interface JobResult {
  readonly exitCode: 0;
  readonly outputs: Readonly<Record<string, string>>;
  /** Empty when an earlier call has taken the secret outputs. */
  readonly secretOutputs: Readonly<Record<string, string>>;
  readonly logTail: string;
  /** True when the job had been started by an earlier attempt. */
  readonly attached: boolean;
}

/** Builds the id of a job from the ids of its operation and its step: only letters, digits, `_` and `-`. */
export function jobId(operationId: string, stepId: string): string {
  return `${operationId}-${stepId}`.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-+|-+$/g, '');
}

/**
 * Runs a script as a detached job on a node, or attaches to the job that an earlier attempt started, and waits for its
 * end.
 * @throws VnflowError NODE_COMMAND_TRANSIENT (exit 75, job vanished; retriable), PACKAGE_SOURCE_GONE (exit 69), NODE_PROFILE,
 * NODE_COMMAND_FAILED, NODE_DISK_FULL, NODE_JOB_TIMEOUT, NODE_UNREACHABLE (session lost: the job goes on, the next
 * attempt attaches), NODE_AUTH (sudo), NODE_PROTOCOL; the signal's reason when aborted (the job goes on: see
 * `cancelJob`)
 */
export async function runJob(session: SshSession, job: Job, options: FollowOptions = {}): Promise<JobResult> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,180}$/.test(job.id)) throw new RangeError(`"${job.id}" is not the id of a job.`);
  const attributes = { 'vnflow.job.id': job.id, 'vnflow.job.description': job.description };
  return traceCall({ name: `job ${job.args[0] ?? ''}`.trimEnd(), kind: 'client', attributes }, (span) =>
    runTraced(session, job, { ...options, span }),
  );
}

async function runTraced(
  session: SshSession,
  job: Job,
  { span, ...options }: FollowOptions & { readonly span: SpanNotes },
): Promise<JobResult> {
  const root = options.root ?? JOB_ROOT;
  const began = await start(session, job, { root, signal: options.signal });
  const secrets = [...(job.secrets ?? []), ...secretVariables(job.env)];
  const [tail, lines] = [createLogTail(secrets), createLogLines(secrets)];
  const look = await withoutSpans(() =>
    follow(session, job, { ...options, root, tail, lines, isNew: began === 'started' }),
  );
  span.add({ 'vnflow.job.attached': began !== 'started', 'process.exit.code': look.exit });
  if (look.exit !== 0) throw createFailedJobProblem(session, job, { exit: look.exit ?? 'timeout', tail: tail.text() });
  if (Object.keys(look.secretOutputs).length > 0) {
    await options.sealSecrets?.(look.secretOutputs);
    await execAsRoot(session, forgetSecretsCommand(root, job.id), { name: 'forget secrets' });
  }
  return {
    exitCode: 0,
    outputs: look.outputs,
    secretOutputs: look.secretOutputs,
    logTail: tail.text(),
    attached: began !== 'started',
  };
}

/** Stops a job if it runs. The next `runJob` with its id starts it from the beginning. */
export async function cancelJob(session: SshSession, id: string, root: string = JOB_ROOT): Promise<void> {
  const { code, stderr } = await execAsRoot(session, stopCommand(root, id), { name: 'stop job' });
  if (code === 0) return;
  throw createTransientProblem(session, `job ${id} could not be stopped`, stderr);
}

/** Does the job run, or has it succeeded? In both cases `runJob` attaches to it and starts nothing. */
export async function isJobBegun(session: SshSession, id: string, root: string = JOB_ROOT): Promise<boolean> {
  const place = { root, from: 0, waitSeconds: 0, signal: undefined };
  const { state, exit } = await lookAt(session, { id, description: id }, place);
  return state === 'running' || state === 'unclear' || (state === 'finished' && exit === 0);
}

/** What `startCommand` prints. */
const ANSWERS = ['started', 'running', 'succeeded', 'script-missing', 'incomplete', 'unclear'];

interface Place {
  readonly root: string;
  readonly signal: AbortSignal | undefined;
}

async function start(session: SshSession, job: Job, place: Place): Promise<'started' | 'running' | 'succeeded'> {
  const sha = createHash('sha256').update(job.script).digest('hex');
  const first = await tryStart(session, job, { ...place, sha });
  if (first !== 'script-missing') return expectStarted(session, job, first);
  await storeScript(session, job.script, { ...place, sha });
  return expectStarted(session, job, await tryStart(session, job, { ...place, sha }));
}

function expectStarted(session: SshSession, job: Job, word: string): 'started' | 'running' | 'succeeded' {
  if (word === 'started' || word === 'running' || word === 'succeeded') return word;
  throw createTransientProblem(session, `"${job.description}" could not be started`, word);
}

/** Starts the job, under a lock on the node, unless it runs or has succeeded. */
async function tryStart(
  session: SshSession,
  job: Job,
  { root, sha, signal }: Place & { sha: string },
): Promise<string> {
  const nonce = randomUUID();
  const limitSeconds = Math.max(1, Math.ceil(job.timeLimitSeconds));
  const description = job.description.replace(/[^\x20-\x7e]/g, '?');
  const { id, args, operation } = job;
  const command = startCommand({ root, id, sha, nonce, limitSeconds, description, args, operation });
  const result = await execAsRoot(session, command, {
    name: 'start job',
    stdin: `${environmentFile(job.env)}# end ${nonce}\n`,
    timeoutMs: 90_000,
    ...(signal ? { signal } : {}),
  });
  if (result.code === 0) return readAnswer(session, result.stdout);
  throw createTransientProblem(session, `"${job.description}" could not be started`, result.stderr);
}

/** The word that `startCommand` printed. @throws VnflowError NODE_PROFILE when other text stands before it */
function readAnswer({ label }: SshSession, stdout: string): string {
  const lines = stdout.trim().split('\n');
  const word = lines.at(-1) ?? '';
  if (lines.length > 1 && ANSWERS.includes(word)) throw createProfileProblem(label, lines.slice(0, -1).join('\n'));
  return stdout.trim();
}

async function storeScript(
  session: SshSession,
  script: Buffer | string,
  place: Place & { sha: string },
): Promise<void> {
  const { root, sha, signal } = place;
  const { code, stdout, stderr } = await execAsRoot(session, storeScriptCommand(root, sha, randomUUID()), {
    name: 'store script',
    stdin: script,
    ...(signal ? { signal } : {}),
  });
  if (code !== 0 || stdout.trim() !== 'stored')
    throw createTransientProblem(session, 'the install script did not arrive', stderr);
}

async function follow(session: SshSession, job: Job, following: Following): Promise<JobLook> {
  followed += 1;
  try {
    return await lookUntilEnd(session, job, following);
  } finally {
    followed -= 1;
    following.onLog?.(following.lines.take(true));
  }
}

type Following = FollowOptions & {
  readonly root: string;
  readonly tail: LogTail;
  readonly lines: LogLines;
  readonly isNew: boolean;
};

/**
 * Each look waits on the node for the end of the job. When a look returns early, the next one waits until the pause is
 * over.
 */
async function lookUntilEnd(
  session: SshSession,
  job: Job,
  { root, tail, lines, signal, onProgress, onLog, isNew, pollMs = { min: 200, max: 1500 } }: Following,
): Promise<JobLook> {
  const deadline = Date.now() + (job.timeLimitSeconds + 120) * 1000;
  let pause = isNew ? Math.max(pollMs.min, followed * MS_PER_FOLLOWED_JOB) : 0;
  for (;;) {
    const asked = performance.now();
    const look = await lookAt(session, job, { root, from: tail.next, waitSeconds: pause / 1000, signal });
    tail.append(look.logFrom, look.log);
    lines.append(look.logFrom, look.log);
    onProgress?.(tail.text());
    onLog?.(lines.take());
    const isRead = look.log.length < LOG_BYTES_PER_LOOK;
    if (look.state === 'finished' && isRead) return look;
    if ((look.state === 'vanished' && isRead) || look.state === 'absent') {
      throw await createVanishedJobProblem(session, job, { root, tail: tail.text() });
    }
    if (Date.now() > deadline) {
      await cancelJob(session, job.id, root);
      throw createFailedJobProblem(session, job, { exit: 'timeout', tail: tail.text() });
    }
    if (!isRead) {
      pause = 0;
      continue;
    }
    await pauseFor(pause - (performance.now() - asked), signal);
    pause = Math.max(pollMs.min, followed * MS_PER_FOLLOWED_JOB, Math.min(pollMs.max, pause * 1.4));
  }
}

async function lookAt(
  session: SshSession,
  job: Pick<Job, 'id' | 'description'>,
  { root, from, waitSeconds, signal }: Place & { from: number; waitSeconds: number },
): Promise<JobLook> {
  const place = { from, max: LOG_BYTES_PER_LOOK, most: MOST_LOG_BYTES, waitSeconds };
  const { command, stdin } = lookCommand(root, job.id, place);
  const timeoutMs = 30_000 + waitSeconds * 1000;
  const result = await execAsRoot(session, command, {
    name: 'look at job',
    stdin,
    timeoutMs,
    ...(signal ? { signal } : {}),
  });
  if (result.code !== 0)
    throw createTransientProblem(session, `the state of "${job.description}" could not be read`, result.stderr);
  return parseLook(result.stdoutBytes, session.label);
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return;
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * On a full disk the exit code cannot be written, nor perhaps the end of the log. So the free space of the disk is
 * checked.
 */
async function createVanishedJobProblem(
  session: SshSession,
  job: Job,
  { root, tail }: { root: string; tail: string },
): Promise<VnflowError> {
  const what = `"${job.description}" vanished without an exit code`;
  const df = await execAsRoot(session, sudoCommand(['df', '-Pk', root]), { timeoutMs: 30_000 });
  const room = /^\S+ +\d+ +\d+ +(\d+) /m.exec(df.stdout)?.[1];
  if (room === '0') return createDiskFullProblem(`On the ${session.label}, ${what}`, `${tail}\n${df.stdout}`);
  return createTransientProblem(session, `${what} (was the node restarted?)`, tail);
}

/** Exit codes with a meaning of their own (docs/install-script.md). */
const TRY_AGAIN = 75;
const SOURCE_GONE = 69;

const NO_SPACE = /no space left on device/i;

function createDiskFullProblem(what: string, seen: string): VnflowError {
  return new VnflowError('NODE_DISK_FULL', {
    detail: `${what}: there is no space left on the disk.`,
    seen: seen.trim().slice(-2000),
  });
}

function createTransientProblem(session: SshSession, what: string, seen: string): VnflowError {
  if (NO_SPACE.test(seen)) return createDiskFullProblem(`On the ${session.label}, ${what}`, seen);
  const text = seen.trim().slice(-2000);
  return new VnflowError('NODE_COMMAND_TRANSIENT', {
    detail: `On the ${session.label}, ${what}.`,
    ...(text ? { seen: text } : {}),
  });
}

function createFailedJobProblem(
  session: SshSession,
  job: Job,
  { exit, tail }: { exit: number | 'timeout'; tail: string },
): VnflowError {
  const seen = tail ? { seen: tail } : {};
  const where = `"${job.description}" on the ${session.label}`;
  if (exit === 'timeout') {
    const detail = `${where} did not end within ${job.timeLimitSeconds} s and was stopped.`;
    return new VnflowError('NODE_JOB_TIMEOUT', { detail, ...seen });
  }
  if (NO_SPACE.test(tail)) return createDiskFullProblem(`${where} failed with exit code ${exit}`, tail);
  const reason = reasonIn(tail);
  if (exit === TRY_AGAIN) {
    const detail = `${where} asked to be tried again: ${reason ?? `exit code ${TRY_AGAIN}`}.`;
    return new VnflowError('NODE_COMMAND_TRANSIENT', { detail, ...seen });
  }
  if (exit === SOURCE_GONE) {
    const detail = `${where} found that a package repository is gone: ${reason ?? `exit code ${SOURCE_GONE}`}.`;
    return new VnflowError('PACKAGE_SOURCE_GONE', { detail, ...seen });
  }
  const why = reason === undefined ? '' : `: ${reason}`;
  return new VnflowError('NODE_COMMAND_FAILED', { detail: `${where} failed with exit code ${exit}${why}.`, ...seen });
}

/**
 * The reason that the script printed: its last line, if that begins with `error:` or `not now:`
 * (docs/install-script.md).
 */
function reasonIn(tail: string): string | undefined {
  return /^(?:error|not now): (.{1,300}?)[.\s]*$/.exec(tail.trimEnd().split('\n').at(-1) ?? '')?.[1];
}
