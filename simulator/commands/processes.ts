import { type ProcessRow, processesOf } from '../world/nodes/processes.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

function ps(args: readonly string[], { node, pid }: CommandContext): Output {
  const rows = processesOf(node);
  const format = args.join(' ');
  const custom = /-?o\s*([\w,=]+)/.exec(format)?.[1];
  const wanted = /-p\s*(\d+)/.exec(format)?.[1];
  const all = /(^|\s)-?[A-Za-z]*[aeAx]/.test(format.replace(/-?o\s*[\w,=]+/, '').replace(/-p\s*\d+/, ''));
  const shown = rows.filter((row) => (wanted ? row.pid === Number(wanted) : all || row.pid >= pid - 1));
  if (custom !== undefined) {
    const columns = custom.split(',').map((column) => column.replace(/=$/, ''));
    const cells: Record<string, (row: ProcessRow) => string> = {
      pid: ({ pid: own }) => String(own),
      ppid: ({ ppid }) => String(ppid),
      user: ({ user }) => user,
      comm: ({ argv }) => argv[0]?.replace(/^.*\//, '') ?? '',
      args: ({ argv }) => argv.join(' '),
      cmd: ({ argv }) => argv.join(' '),
      command: ({ argv }) => argv.join(' '),
    };
    const lines = shown.map((row) => columns.map((column) => cells[column]?.(row) ?? '-').join(' '));
    const header = custom.includes('=') ? [] : [columns.join(' ').toUpperCase()];
    return ok(`${[...header, ...lines].join('\n')}\n`);
  }
  if (/-\w*f/.test(format)) {
    const lines = shown.map(
      ({ pid: own, ppid, user, argv }) =>
        `${user.padEnd(8)} ${String(own).padStart(7)} ${String(ppid).padStart(7)}  0 10:00 ?        00:00:00 ${argv.join(' ')}`,
    );
    return ok(`UID          PID    PPID  C STIME TTY          TIME CMD\n${lines.join('\n')}\n`);
  }
  const lines = shown.map(
    ({ pid: own, user, argv }) =>
      `${user.padEnd(8)} ${String(own).padStart(7)}  0.0  0.1  10000  4000 ?        Ss   10:00   0:00 ${argv.join(' ')}`,
  );
  return ok(`USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n${lines.join('\n')}\n`);
}

function pgrep(args: readonly string[], { node, pid }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-u']));
  const [pattern = ''] = parsed.operands;
  const found = processesOf(node).filter((row) => {
    if (row.pid === pid) return false;
    const name = (row.argv[0] ?? '').replace(/^.*\//, '');
    const text = parsed.has('-f') ? row.argv.join(' ') : name;
    return parsed.has('-x') ? text === pattern : new RegExp(pattern).test(text);
  });
  const lines = found.map((row) => `${row.pid}${parsed.has('-a') ? ` ${row.argv.join(' ')}` : ''}\n`);
  return found.length === 0 ? failure(1, '') : ok(lines.join(''));
}

export const PROCESSES: CommandTable = {
  ps: { run: ps },
  pgrep: { run: pgrep },
  kill: {
    builtin: true,
    run: (args, { node }) => {
      const pids = args.filter((argument) => /^\d+$/.test(argument)).map(Number);
      const missing = pids.filter((own) => !processesOf(node).some(({ pid }) => pid === own));
      if (missing.length === 0) return ok();
      return failure(1, missing.map((own) => `bash: kill: (${own}) - No such process\n`).join(''));
    },
  },
  pkill: { run: (args, context) => ({ ...pgrep(args, context), stdout: '' }) },
};
