import { listeningPorts } from '../world/cluster/endpoints.ts';
import type { SimNode } from '../world/world.ts';
import { DPKG_LOCK, LISTS_LOCK, lockHolder } from './apt/lock.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

/**
 * Lists the processes that have a file open: package tools hold their locks, and flock holds the file that it was
 * started with.
 */
function usersOf(node: SimNode, path: string, own: number): readonly { readonly pid: number; readonly name: string }[] {
  const locks =
    path === DPKG_LOCK || path === '/var/lib/dpkg/lock'
      ? [DPKG_LOCK]
      : path.startsWith('/var/lib/apt/lists')
        ? [LISTS_LOCK]
        : [];
  const holders = locks.flatMap((lock) => lockHolder(node, lock) ?? []);
  const others = [...node.processes.values()]
    .filter(
      ({ pid, argv }) => pid !== own && argv.slice(1).includes(path) && /^(flock|tail|cat|less)$/.test(argv[0] ?? ''),
    )
    .map(({ pid, argv }) => ({ pid, name: argv[0] ?? '' }));
  return [...holders, ...others];
}

function fuser(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-n', '--namespace']));
  let stdout = '';
  let stderr = '';
  for (const operand of parsed.operands) {
    const port = /^(\d+)\/tcp$/.exec(operand)?.[1];
    const users =
      port === undefined
        ? usersOf(context.node, context.path(operand), context.pid)
        : listeningPorts(context.node)
            .filter((listener) => listener.port === Number(port))
            .map(({ process }) => ({ pid: 1, name: process }));
    if (users.length === 0) continue;
    stderr += `${operand}: `;
    stdout += users.map(({ pid }) => ` ${pid}`).join('');
    stderr += '\n';
  }
  if (stdout === '') return failure(1, '');
  return parsed.has('-s', '--silent') ? ok() : { stdout, stderr, exitCode: 0 };
}

function lsof(args: readonly string[], { node, path, pid }: CommandContext): Output {
  const port = args.map((argument) => /^-?i?(?:TCP)?:(\d+)$/i.exec(argument)?.[1]).find((value) => value !== undefined);
  const rows =
    port === undefined
      ? args
          .filter((argument) => !argument.startsWith('-'))
          .flatMap((file) => usersOf(node, path(file), pid).map((user) => ({ ...user, what: file })))
      : listeningPorts(node)
          .filter((listener) => listener.port === Number(port))
          .map(({ process }) => ({ pid: 1, name: process, what: `TCP *:${port} (LISTEN)` }));
  if (rows.length === 0) return failure(1, '');
  if (args.includes('-t')) return ok(rows.map((row) => `${row.pid}\n`).join(''));
  return ok(
    `COMMAND     PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME\n${rows.map((row) => `${row.name.slice(0, 9).padEnd(9)} ${String(row.pid).padStart(5)} root    3uW  REG  252,1        0  123 ${row.what}\n`).join('')}`,
  );
}

function timedatectl(args: readonly string[], { isRoot }: CommandContext): Output {
  const [verb = 'status'] = args.filter((argument) => !argument.startsWith('-'));
  if (verb === 'show') return ok('Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP=yes\nNTPSynchronized=yes\n');
  if (verb.startsWith('set-'))
    return isRoot ? ok() : failure(1, `Failed to ${verb.replace('-', ' ')}: Interactive authentication required.`);
  return ok(
    '               Local time: Tue 2023-11-21 10:00:00 UTC\n           Universal time: Tue 2023-11-21 10:00:00 UTC\n                Time zone: Etc/UTC (UTC, +0000)\nSystem clock synchronized: yes\n              NTP service: active\n          RTC in local TZ: no\n',
  );
}

/** A file that was written survives a power cut of the simulated machines at once. */
function sync(args: readonly string[], { files, path }: CommandContext): Output {
  const missing = args.find((file) => !file.startsWith('-') && !files.exists(path(file)));
  return missing === undefined ? ok() : failure(1, `sync: error opening '${missing}': No such file or directory`);
}

export const MACHINE: CommandTable = {
  fuser: { run: fuser },
  lsof: { run: lsof },
  sync: { run: sync },
  timedatectl: { run: timedatectl },
};
