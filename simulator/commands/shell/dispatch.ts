import { type Command, type ExecResult, latin1FromBytes, type ResolvedCommandContext, stdoutAsBytes } from 'just-bash';
import { commandSeconds } from '../../kernel/latency.ts';
import { toBytes, toText } from '../../world/files/bytes.ts';
import { FileError, normalize } from '../../world/files/tree.ts';
import { loginEnv } from '../../world/shell/login.ts';
import { quote } from '../../world/shell/quote.ts';
import { type InputSource, NO_INPUT, type ShellResult } from '../../world/shell/request.ts';
import { COMMANDS } from '../table.ts';
import { type CommandContext, type CommandSpec, failure, type Output, type RunOptions } from './command.ts';
import { marksOf, reachesOutput } from './live-output.ts';
import { MARK } from './rewrite.ts';
import type { Run } from './run.ts';

type Result = Pick<ExecResult, 'stdout' | 'stderr' | 'exitCode' | 'stdoutKind'>;

/** Creates a command of a shell: a process of the machine with an entry in the ledger, a duration and faults. */
export function createCommand(run: Run, name: string, bundled: Command | undefined): Command {
  const spec: CommandSpec = COMMANDS[name] ?? {};
  const command = {
    name,
    trusted: true,
    execute: async (args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> => {
      const call = { name, args, ctx, bundled };
      const result = spec.builtin
        ? await perform(run, spec, { ...call, pid: run.pid })
        : await asProcess(run, spec, call);
      if (run.sink && !spec.passesThrough) tap(run.sink, result, marksOf(ctx.env));
      return result;
    },
  };
  return command;
}

interface Call {
  readonly name: string;
  readonly args: readonly string[];
  readonly ctx: ResolvedCommandContext;
  /**
   * just-bash's own command of this name, called directly: for `origCommand` just-bash would make a second context at
   * every call.
   */
  readonly bundled: Command | undefined;
}

async function asProcess(run: Run, spec: CommandSpec, call: Call): Promise<Result> {
  const { node } = run;
  const argv = [call.name, ...call.args];
  const pid = node.nextPid;
  node.nextPid += 1;
  node.processes.set(pid, { pid, ppid: run.pid, user: run.user, argv, startedAt: node.world.clock.elapsed() });
  try {
    if (!run.announced.delete(argv.join('\0'))) {
      // systemd sets an invocation id for the processes of every unit
      const ofUnit = 'INVOCATION_ID' in (call.ctx.exportedEnv ?? {});
      node.world.ledger.record({
        kind: 'command',
        where: node.label(),
        what: argv.join(' '),
        detail: { server: node.id, ...(ofUnit ? { ofUnit } : {}) },
      });
    }
    const line = argv.join(' ');
    const fault = node.world.faults.take('command', node.state, ({ commandPrefix }) => line.startsWith(commandPrefix));
    if (fault?.delaySeconds) await node.world.clock.sleep(fault.delaySeconds, run.signal);
    if (fault && (fault.exitCode !== undefined || fault.stderr !== undefined)) {
      return asResult(failure(fault.exitCode ?? 1, fault.stderr ?? ''));
    }
    return await perform(run, spec, { ...call, pid });
  } finally {
    node.processes.delete(pid);
  }
}

async function perform(run: Run, spec: CommandSpec, call: Call & { readonly pid: number }): Promise<Result> {
  const { name, args } = call;
  const context = contextOf(run, spec, call);
  delete run.viewer.refused;
  try {
    const seconds = spec.builtin
      ? 0
      : (spec.seconds?.(args, context) ?? commandSeconds(run.node.world.latency, [name, ...args].join(' ')));
    if (seconds > 0) await context.sleep(seconds);
    if (spec.run) return asResult(await spec.run(args, context));
    return explainRefusal(run, await bundledResult(call, args));
  } catch (error) {
    if (context.signal.aborted) return asResult(failure(143, ''));
    if (error instanceof FileError) return asResult(failure(1, `${name}: ${error.path}: ${reasonOf(error)}`));
    throw error;
  }
}

const REASONS: Partial<Record<FileError['code'], string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  ENOSPC: 'No space left on device',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  EEXIST: 'File exists',
};

function reasonOf(error: FileError): string {
  return REASONS[error.code] ?? error.message;
}

async function bundledResult({ name, ctx, bundled }: Call, args: readonly string[]): Promise<Result> {
  if (!bundled) return asResult(failure(127, `${name}: the simulated machine has this file, but cannot run it`));
  const result = await bundled.execute([...args], ctx);
  return { ...result, stdout: latin1FromBytes(stdoutAsBytes(result)), stdoutKind: 'bytes' };
}

/** Replaces "No such file" by the real reason; just-bash's commands print it for every refusal. */
function explainRefusal(run: Run, result: Result): Result {
  const { refused } = run.viewer;
  if (!refused || result.exitCode === 0) return result;
  const stderr = result.stderr
    .replace('No such file or directory', refused.reason)
    .replace(/(ENOSPC|EACCES): [^\n]*/, refused.reason);
  return { ...result, stderr: stderr === '' ? `${refused.path}: ${refused.reason}\n` : stderr };
}

function asResult(output: Output): Result {
  return {
    stdout: output.binary ? (output.stdout ?? '') : toBytes(output.stdout ?? ''),
    stderr: output.stderr ?? '',
    exitCode: output.exitCode ?? 0,
    stdoutKind: 'bytes',
  };
}

function tap(sink: (bytes: string) => void, result: Result, marks: string): void {
  if (result.stdout !== '' && reachesOutput(marks, 'out')) sink(result.stdout);
  if (result.stderr !== '' && reachesOutput(marks, 'err')) sink(toBytes(result.stderr));
}

function contextOf(run: Run, spec: CommandSpec, call: Call & { readonly pid: number }): CommandContext {
  const { ctx } = call;
  const { node } = run;
  const given = latin1FromBytes(ctx.stdin);
  const marks = marksOf(ctx.env);
  const exported = { ...ctx.exportedEnv };
  delete exported[MARK];
  // just-bash aborts the signal of the command with the signal of its shell
  const signal = ctx.signal ?? run.signal;
  const input: InputSource = given === '' ? run.input : NO_INPUT;
  const start = (text: string, positional: readonly string[], options: RunOptions): Promise<ShellResult> => {
    const user = options.user ?? run.user;
    const stdin = options.stdin ?? (given === '' ? undefined : given);
    return node.world.shells.run(node, {
      user,
      text,
      positional,
      env: {
        ...(options.env ?? (user === run.user ? exported : loginEnv(user))),
        ...(marks === '' ? {} : { [MARK]: marks }),
      },
      cwd: options.cwd ?? ctx.cwd,
      input,
      ...(stdin === undefined ? {} : { stdin }),
      within: options.signal ? AbortSignal.any([signal, options.signal]) : signal,
      umask: run.viewer.umask,
      pid: call.pid,
      ...(run.sink ? { sink: run.sink } : {}),
      announced: run.announced,
    });
  };
  const decode = (result: ShellResult) => ({ ...result, stderr: toText(result.stderr) });
  return {
    node,
    world: node.world,
    files: run.view,
    user: run.user,
    isRoot: run.user === 'root',
    cwd: ctx.cwd,
    env: exported,
    signal,
    pid: call.pid,
    stdin: async () => (given === '' && run.input.live ? await run.input.read() : given),
    path: (relative) => normalize(relative.startsWith('/') ? relative : `${ctx.cwd}/${relative}`),
    sleep: (seconds) => node.world.clock.sleep(seconds, signal),
    run: async (argv, options = {}) => {
      if (spec.passesThrough) run.announced.add(argv.join('\0'));
      return decode(await start(argv.map(quote).join(' '), ['bash'], options));
    },
    script: async (text, positional, options = {}) => decode(await start(text, positional, options)),
    detach: (text, options = {}) => {
      void node.world.shells.run(node, {
        user: run.user,
        text,
        env: exported,
        cwd: ctx.cwd,
        umask: run.viewer.umask,
        pid: 1,
        ...options,
      });
    },
    original: async (args) => ({ ...(await bundledResult(call, args)), binary: true }),
    setUmask: (umask) => {
      run.viewer.umask = umask;
    },
    umask: run.viewer.umask,
  };
}
