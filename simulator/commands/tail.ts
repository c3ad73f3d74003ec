import { type CommandContext, type CommandTable, failure, type Output } from './shell/command.ts';

/**
 * just-bash treats `tail -c +N` (from byte N on) like `tail -c N` (the last N bytes), so this form is implemented here.
 */
async function tail(args: readonly string[], context: CommandContext): Promise<Output> {
  const from = firstByte(args);
  if (from === undefined) return context.original(args);
  const [operand] = args.filter(
    (argument, index) => !argument.startsWith('-') && !argument.startsWith('+') && args[index - 1] !== '-c',
  );
  if (operand === undefined) return { stdout: (await context.stdin()).slice(from - 1), binary: true };
  const path = context.path(operand);
  if (!context.files.exists(path)) {
    return failure(1, `tail: cannot open '${operand}' for reading: No such file or directory`);
  }
  try {
    return { stdout: context.files.read(path).slice(from - 1), binary: true };
  } catch {
    return failure(1, `tail: cannot open '${operand}' for reading: Permission denied`);
  }
}

/** Returns N of `-c +N`, `-c+N` or `--bytes=+N`. Undefined for every other form. */
function firstByte(args: readonly string[]): number | undefined {
  const match = /(?:^| )(?:-c ?|--bytes[= ])\+(\d+)(?: |$)/.exec(args.join(' '));
  return match ? Math.max(1, Number(match[1])) : undefined;
}

export const TAIL: CommandTable = { tail: { run: tail } };
