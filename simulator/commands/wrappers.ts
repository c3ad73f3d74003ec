import { durationSeconds } from './durations.ts';
import { type CommandContext, failure, type Output, ok } from './shell/command.ts';
import { passed } from './shell-programs.ts';

export async function timeout(args: readonly string[], context: CommandContext): Promise<Output> {
  let index = 0;
  let preserve = false;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-k' || argument === '-s') index += 1;
    else if (argument === '--preserve-status') preserve = true;
    else if (!argument.startsWith('-')) break;
  }
  const limit = durationSeconds(args[index] ?? '');
  const command = args.slice(index + 1);
  if (Number.isNaN(limit)) return failure(125, `timeout: invalid time interval ‘${args[index] ?? ''}’`);
  if (command.length === 0) return failure(125, 'timeout: missing operand');
  if (limit === 0) return passed(await context.run(command));
  const over = new AbortController();
  const done = new AbortController();
  const alarm = context.world.clock
    .sleep(limit, AbortSignal.any([done.signal, context.signal]))
    .then(() => over.abort())
    .catch(() => {});
  const result = await context.run(command, { signal: over.signal });
  done.abort();
  await alarm;
  if (over.signal.aborted) return { ...passed(result), exitCode: preserve ? 143 : 124 };
  return passed(result);
}

export async function env(args: readonly string[], context: CommandContext): Promise<Output> {
  const variables: Record<string, string> = {};
  let base: Record<string, string> = { ...context.env };
  let index = 0;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-i' || argument === '-') base = {};
    else if (argument === '-u') {
      index += 1;
      delete base[args[index] ?? ''];
    } else if (/^[A-Za-z_]\w*=/.test(argument)) {
      const equals = argument.indexOf('=');
      variables[argument.slice(0, equals)] = argument.slice(equals + 1);
    } else break;
  }
  const all = { ...base, ...variables };
  const command = args.slice(index);
  if (command.length === 0) {
    return ok(
      Object.entries(all)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  }
  return passed(await context.run(command, { env: all }));
}

/** `flock`: the name of the file is the lock. Other processes wait in simulated time. */
export async function flock(args: readonly string[], context: CommandContext): Promise<Output> {
  let index = 0;
  let wait = Number.POSITIVE_INFINITY;
  let conflictCode = 1;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '-w' || argument === '--timeout' || argument === '--wait') {
      index += 1;
      wait = Number(args[index] ?? '0');
    } else if (argument === '-E') {
      index += 1;
      conflictCode = Number(args[index] ?? '1');
    } else if (argument === '-n' || argument === '--nonblock') wait = 0;
    else if (!argument.startsWith('-')) break;
  }
  const target = args[index] ?? '';
  const command = args.slice(index + 1);
  // A lock on a descriptor ends with the shell, before another process can wait for it.
  if (/^\d+$/.test(target) && command.length === 0) return ok();
  const path = context.path(target);
  if (!context.files.exists(path)) context.files.write(path, '');
  const { locks } = context.node;
  const limit = context.world.clock.elapsed() + wait;
  for (let holder = locks.get(path); holder; holder = locks.get(path)) {
    const left = limit - context.world.clock.elapsed();
    if (left <= 0) return failure(conflictCode, '');
    await Promise.race([holder, context.sleep(Math.min(left, 3600))]);
  }
  let release = () => {};
  locks.set(
    path,
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  try {
    const run = command[0] === '-c' ? ['sh', '-c', command[1] ?? ''] : command;
    return passed(await context.run(run));
  } finally {
    locks.delete(path);
    release();
  }
}

export async function nohup(args: readonly string[], context: CommandContext): Promise<Output> {
  return passed(await context.run(args.filter((argument, index) => index > 0 || !argument.startsWith('-'))));
}
