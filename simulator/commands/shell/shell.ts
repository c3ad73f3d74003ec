import { isUtf8 } from 'node:buffer';
import { Bash, type ExecResult } from 'just-bash';
import { toBytes } from '../../world/files/bytes.ts';
import { FileError } from '../../world/files/tree.ts';
import { ShellFiles, View, type Viewer } from '../../world/files/view.ts';
import { homeOf, loginEnv } from '../../world/shell/login.ts';
import { NO_INPUT, type ShellRequest, type ShellResult } from '../../world/shell/request.ts';
import type { Shells, SimNode } from '../../world/world.ts';
import { InstalledCommands, InstalledPaths } from './installed.ts';
import { unseenLines } from './live-output.ts';
import type { Run } from './run.ts';
import { putInPlace, scriptOf } from './scripts.ts';

/** The shells of all machines: bash as just-bash simulates it, with the simulator's commands. */
export const SHELLS: Shells = { run: runShell, runLive: runShellLive, isOneCommand };

function isOneCommand(text: string): boolean {
  try {
    return scriptOf(text, false).isOneCommand;
  } catch {
    return false; // the text is no valid script: bash reports it when it runs
  }
}

/** Runs a script in a shell process of its own. Never rejects: a machine that is switched off ends it with 143. */
async function runShell(node: SimNode, request: ShellRequest): Promise<ShellResult> {
  const signal = request.within ?? AbortSignal.any([node.power.signal, ...(request.signal ? [request.signal] : [])]);
  const viewer: Viewer = { user: request.user, umask: request.umask ?? 0o022 };
  const run: Run = {
    node,
    user: request.user,
    viewer,
    view: new View(node.tree, viewer),
    input: request.input ?? NO_INPUT,
    signal,
    pid: request.pid ?? 1,
    sink: request.sink,
    announced: request.announced ?? new Set(),
  };
  try {
    return await execute(run, request);
  } catch (error) {
    return { stdout: '', stderr: toBytes(`bash: ${messageOf(error)}\n`), exitCode: exitOf(error) };
  }
}

/** Runs a script like `runShell`, but writes all output to `sink` while it runs. @returns the exit code */
async function runShellLive(
  node: SimNode,
  request: ShellRequest & { readonly sink: (bytes: string) => void },
): Promise<number> {
  let seen = '';
  const sink = (bytes: string) => {
    seen += bytes;
    request.sink(bytes);
  };
  const { stdout, stderr, exitCode } = await runShell(node, { ...request, sink });
  const rest = unseenLines(stdout + stderr, seen);
  if (rest !== '') request.sink(rest);
  return exitCode;
}

async function execute(run: Run, request: ShellRequest): Promise<ShellResult> {
  const script = scriptOf(request.text, run.sink !== undefined);
  const env = request.env ?? loginEnv(run.user);
  const bash = createBash(run, env, request.cwd ?? homeOf(run.user));
  bash.registerTransformPlugin(putInPlace(script));
  const stdin = request.stdin ?? (run.input.live && script.readsInput ? await run.input.read() : '');
  const result = await bash.exec(script.stand, {
    env: { ...env, ...positionalEnv(request.positional ?? ['bash']) },
    rawScript: true,
    signal: run.signal,
    ...(stdin === '' ? {} : { stdin, stdinKind: 'bytes' as const }),
  });
  return {
    stdout: rawBytes(result),
    stderr: toBytes(inBashWords(result.stderr)),
    exitCode: run.signal.aborted ? 143 : result.exitCode,
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space left on device',
  EACCES: 'Permission denied',
  ENOENT: 'No such file or directory',
};

/** Replaces the file-system errors of just-bash for a failed redirection by bash's messages. */
function inBashWords(stderr: string): string {
  return stderr.replaceAll(
    /(ENOSPC|EACCES|ENOENT): [a-z ]+, \w+ '([^'\n]*)'/g,
    (_, code: string, path: string) => `bash: ${path}: ${REFUSALS[code] ?? code}`,
  );
}

/**
 * Returns stdout as bytes. just-bash mixes text and bytes in one string: valid UTF-8 and output that was made as bytes
 * stay unchanged.
 */
function rawBytes({ stdout, stdoutKind }: ExecResult): string {
  if (![...stdout].some((character) => character > '\u007f')) return stdout;
  if ([...stdout].some((character) => character > '\u00ff')) return toBytes(stdout);
  const bytes = Buffer.from(stdout, 'latin1');
  return stdoutKind === 'bytes' || isUtf8(bytes) ? stdout : toBytes(stdout);
}

function messageOf(error: unknown): string {
  if (error instanceof FileError && error.code === 'ENOSPC') return `${error.path}: No space left on device`;
  return error instanceof Error ? error.message : String(error);
}

function exitOf(error: unknown): number {
  return error instanceof Error && error.name === 'ParseException' ? 2 : 1;
}

function positionalEnv(positional: readonly string[]): Record<string, string> {
  const [zero, ...rest] = positional;
  const all = rest.join(' ');
  const env: Record<string, string> = { '0': zero ?? 'bash', '#': String(rest.length), '@': all, '*': all };
  for (const [index, value] of rest.entries()) env[String(index + 1)] = value;
  return env;
}

/**
 * Members of just-bash's Bash that its types declare private. The simulator replaces them to decide which commands
 * exist at which moment.
 */
interface Innards {
  commands: InstalledCommands;
  state: { hashTable: InstalledPaths };
  logResult: (result: ExecResult) => ExecResult;
  execInScope: (text: string, options: unknown, scope: OutputCount, ...rest: unknown[]) => Promise<ExecResult>;
}

/** What counts the output of a script in just-bash, to bound it. */
interface OutputCount {
  appendOutput: (stream: string, output: string, site: string, counted?: number, kind?: string) => number;
}

/**
 * just-bash fails with "invalid stdout accounting" where a command under `set -x` writes bytes and its stderr is
 * redirected: it takes the bytes of the trace for output that it has counted. So no more counts than there is.
 */
function countAtMostTheOutput(scope: OutputCount): void {
  if (Object.hasOwn(scope, 'appendOutput')) return;
  const append = scope.appendOutput.bind(scope);
  scope.appendOutput = (stream, output, site, counted = 0, kind = 'text') =>
    append(stream, output, site, kind === 'bytes' ? Math.min(counted, output.length) : counted, kind);
}

const LIMITS = {
  maxExecutionTimeMs: 24 * 3_600_000,
  maxCommandCount: 10_000_000,
  maxWorkUnits: 1_000_000_000,
  maxLoopIterations: 10_000_000,
};

function createBash(run: Run, env: Readonly<Record<string, string>>, cwd: string): Bash {
  const commands = new InstalledCommands(run);
  const root = run.user === 'root';
  const bash = new Bash({
    fs: new ShellFiles(run.view, (name) => commands.has(name)),
    env: { ...env },
    cwd,
    commands: [],
    defenseInDepth: false,
    processInfo: { pid: run.pid, uid: root ? 0 : 1000, gid: root ? 0 : 1000 },
    executionLimits: LIMITS,
    sleep: (ms) => run.node.world.clock.sleep(ms / 1000, run.signal),
  });
  const innards = bash as unknown as Innards;
  innards.commands = commands;
  innards.state.hashTable = new InstalledPaths(commands);
  innards.logResult = (result) => result;
  const { execInScope } = innards;
  innards.execInScope = (text, options, scope, ...rest) => {
    countAtMostTheOutput(scope);
    return execInScope.call(bash, text, options, scope, ...rest);
  };
  return bash;
}
