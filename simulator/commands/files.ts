import { randomBytes } from 'node:crypto';
import type { Entry } from '../world/files/tree.ts';
import { nameOf, parentOf } from '../world/files/tree.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

function each(path: string, { files }: CommandContext, act: (path: string) => void): void {
  act(path);
  if (files.stat(path, false).kind !== 'directory') return;
  for (const name of files.list(path)) each(`${path}/${name}`, { files } as CommandContext, act);
}

function chown(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set());
  const [owner = '', ...paths] = parsed.operands;
  const user = owner.split(/[:.]/)[0] ?? '';
  const name = user === '0' ? 'root' : user === '1000' ? 'ubuntu' : user;
  if (
    name !== '' &&
    name !== 'root' &&
    !(name in context.node.state.users) &&
    !/^(haproxy|syslog|nobody|etcd)$/.test(name)
  ) {
    return failure(1, `chown: invalid user: ‘${owner}’`);
  }
  for (const operand of paths) {
    const path = context.path(operand);
    if (!context.files.exists(path)) return failure(1, `chown: cannot access '${operand}': No such file or directory`);
    if (!context.isRoot) return failure(1, `chown: changing ownership of '${operand}': Operation not permitted`);
    if (name === '') continue;
    if (parsed.has('-R', '--recursive')) each(path, context, (at) => context.files.chown(at, name));
    else context.files.chown(path, name);
  }
  return ok();
}

function install(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-m', '--mode', '-o', '--owner', '-g', '--group', '-t']));
  const mode = Number.parseInt(parsed.value('-m', '--mode') ?? '755', 8);
  const owner = parsed.value('-o', '--owner');
  const finish = (path: string) => {
    context.files.chmod(path, mode);
    if (owner !== undefined) context.files.chown(path, owner);
  };
  if (parsed.has('-d', '--directory')) {
    for (const operand of parsed.operands) {
      context.files.makeDirectory(context.path(operand), true);
      finish(context.path(operand));
    }
    return ok();
  }
  const target = parsed.value('-t') ?? parsed.operands.at(-1) ?? '';
  const sources = parsed.has('-t') ? parsed.operands : parsed.operands.slice(0, -1);
  if (sources.length === 0) return failure(1, `install: missing destination file operand after '${target}'`);
  for (const source of sources) {
    const from = context.path(source);
    if (!context.files.exists(from)) return failure(1, `install: cannot stat '${source}': No such file or directory`);
    const to = context.path(target);
    const into = context.files.exists(to) && context.files.stat(to).kind === 'directory' ? `${to}/${nameOf(from)}` : to;
    if (parsed.has('-D')) context.files.makeDirectory(parentOf(into), true);
    if (!context.files.exists(parentOf(into))) {
      return failure(1, `install: cannot create regular file '${target}': No such file or directory`);
    }
    context.files.write(into, context.files.read(from));
    finish(into);
  }
  return ok();
}

function mktemp(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-p', '--tmpdir', '--suffix']));
  const template = parsed.operands[0] ?? 'tmp.XXXXXXXXXX';
  const random = randomBytes(8).toString('hex');
  const name = template.replace(/X{3,}/, (match) => random.slice(0, match.length).padEnd(match.length, '0'));
  const directory = parsed.value('-p', '--tmpdir') ?? (parsed.operands.length > 0 ? '.' : '/tmp');
  const path = context.path(name.startsWith('/') ? name : `${directory || '/tmp'}/${name}`);
  if (parsed.has('-d', '--directory')) {
    context.files.makeDirectory(path, false);
    context.files.chmod(path, 0o700);
  } else context.files.write(path, '', { mode: 0o600 });
  return ok(`${path}\n`);
}

/** `mkdir -m MODE` sets the mode and ignores the umask; just-bash's mkdir does the rest. */
async function mkdir(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set(['-m', '--mode']));
  const mode = parsed.value('-m', '--mode');
  if (mode === undefined) return context.original(args);
  for (const operand of parsed.operands) {
    const path = context.path(operand);
    const there = context.files.exists(path);
    if (there && !parsed.has('-p', '--parents'))
      return failure(1, `mkdir: cannot create directory ‘${operand}’: File exists`);
    context.files.makeDirectory(path, parsed.has('-p', '--parents'));
    if (!there) context.files.chmod(path, Number.parseInt(mode, 8));
  }
  return ok();
}

function modeText(entry: Entry): string {
  const type = { file: '-', directory: 'd', link: 'l' }[entry.kind];
  const mode = entry.kind === 'link' ? 0o777 : entry.mode;
  const bits = ['r', 'w', 'x'];
  const text = Array.from({ length: 9 }, (_, index) => ((mode >> (8 - index)) & 1 ? bits[index % 3] : '-')).join('');
  return type + text;
}

/** Prints `ls -l` with the real modes and owners; the short form comes from just-bash. */
async function ls(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set());
  if (!parsed.has('-l', '-o', '-n')) return context.original(args);
  const row = (path: string, name: string): string => {
    const entry = context.files.stat(path, false);
    const size = entry.kind === 'file' ? entry.bytes.length : entry.kind === 'link' ? entry.to.length : 4096;
    const date = new Date(entry.at).toISOString();
    const link = entry.kind === 'link' ? ` -> ${entry.to}` : '';
    return `${modeText(entry)} 1 ${entry.owner} ${entry.owner} ${String(size).padStart(5)} ${date.slice(0, 10)} ${date.slice(11, 16)} ${name}${link}\n`;
  };
  let stdout = '';
  let stderr = '';
  for (const operand of parsed.operands.length > 0 ? parsed.operands : ['.']) {
    const path = context.path(operand);
    if (!context.files.exists(path)) {
      stderr += `ls: cannot access '${operand}': No such file or directory\n`;
      continue;
    }
    if (parsed.has('-d') || context.files.stat(path).kind !== 'directory') stdout += row(path, operand);
    else {
      const names = context.files.list(path).filter((name) => parsed.has('-a', '-A') || !name.startsWith('.'));
      stdout += `total ${names.length * 4}\n${names.map((name) => row(`${path}/${name}`, name)).join('')}`;
    }
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 2 };
}

function stat(args: readonly string[], context: CommandContext): Promise<Output> | Output {
  const parsed = parseArguments(args, new Set(['-c', '--format', '--printf']));
  const format = parsed.value('-c', '--format', '--printf');
  if (format === undefined) return context.original(args);
  let stdout = '';
  for (const operand of parsed.operands) {
    const path = context.path(operand);
    if (!context.files.exists(path))
      return failure(1, `stat: cannot statx '${operand}': No such file or directory`, stdout);
    const entry = context.files.stat(path, false);
    const mode = entry.kind === 'link' ? 0o777 : entry.mode;
    const values: Readonly<Record<string, string>> = {
      a: mode.toString(8),
      A: modeText(entry),
      U: entry.owner,
      G: entry.owner,
      u: entry.owner === 'root' ? '0' : '1000',
      g: entry.owner === 'root' ? '0' : '1000',
      s: String(entry.kind === 'file' ? entry.bytes.length : 4096),
      n: operand,
      F: { file: 'regular file', directory: 'directory', link: 'symbolic link' }[entry.kind],
      Y: String(Math.floor(entry.at / 1000)),
    };
    stdout += `${format.replaceAll(/%([a-zA-Z])/g, (_, letter: string) => values[letter] ?? '?')}${parsed.has('--printf') ? '' : '\n'}`;
  }
  return ok(stdout);
}

/** just-bash's cp does not know `-f`, which changes nothing here: root may write every file. */
function cp(args: readonly string[], context: CommandContext): Promise<Output> {
  const others = args.flatMap((argument) => {
    if (argument === '--force') return [];
    if (!/^-[a-zA-Z]*f[a-zA-Z]*$/.test(argument)) return [argument];
    const rest = argument.replaceAll('f', '');
    return rest === '-' ? [] : [rest];
  });
  return context.original(others);
}

function cmp(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set());
  const [left = '', right = ''] = parsed.operands;
  for (const operand of [left, right]) {
    if (!context.files.exists(context.path(operand))) return failure(2, `cmp: ${operand}: No such file or directory`);
  }
  const same = context.files.read(context.path(left)) === context.files.read(context.path(right));
  return same ? ok() : failure(1, '', parsed.has('-s') ? '' : `${left} ${right} differ: char 1, line 1\n`);
}

export const FILES: CommandTable = {
  chown: { run: chown },
  chgrp: { run: () => ok() },
  install: { run: install },
  mktemp: { run: mktemp },
  mkdir: { run: mkdir },
  ls: { run: ls },
  stat: { run: stat },
  cmp: { run: cmp },
  cp: { run: cp },
  sync: { run: () => ok() },
  realpath: {
    run: (args, context) => {
      const operand = args.filter((argument) => !argument.startsWith('-'))[0] ?? '.';
      const path = context.path(operand);
      return context.files.exists(path)
        ? ok(`${context.files.real(path)}\n`)
        : failure(1, `realpath: ${operand}: No such file or directory`);
    },
  },
};
