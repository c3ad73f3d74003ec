import { gunzipSync, gzipSync } from 'node:zlib';
import { FileError, parentOf } from '../world/files/tree.ts';
import { type Member, packTar, unpackTar } from '../world/internet/archive.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from './shell/command.ts';

const VALUES = new Set(
  '-C --directory -f --file --strip-components --exclude --owner --group --mode -T --files-from'.split(' '),
);
const FATAL = 'tar: Error is not recoverable: exiting now';

function isGzip(bytes: string): boolean {
  return bytes.startsWith('\x1f\x8b');
}

/** @returns the members, or tar's error message */
function membersOf(bytes: string, gzip: boolean): readonly Member[] | string {
  if (gzip && !isGzip(bytes)) return `\ngzip: stdin: not in gzip format\ntar: Child returned status 1\n${FATAL}`;
  try {
    const raw = Buffer.from(bytes, 'latin1');
    return unpackTar(isGzip(bytes) ? gunzipSync(raw) : raw);
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: string };
    if (code === undefined) return `tar: ${message}\n${FATAL}`;
    return `\ngzip: stdin: unexpected end of file\ntar: Unexpected EOF in archive\n${FATAL}`;
  }
}

function isWanted(name: string, wanted: readonly string[]): boolean {
  const plain = name.replace(/^\.\//, '').replace(/\/$/, '');
  return wanted.length === 0 || wanted.some((word) => plain === clean(word) || plain.startsWith(`${clean(word)}/`));
}

function clean(name: string): string {
  return name.replace(/^\.\//, '').replace(/\/$/, '');
}

/** Writes one member below `directory`. Absolute paths and `..` cannot leave it. */
function place(member: Member, directory: string, { files }: CommandContext, strip: number): void {
  const parts = member.name.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const rest = parts.slice(strip);
  if (rest.length === 0) return;
  const path = `${directory === '/' ? '' : directory}/${rest.join('/')}`;
  files.makeDirectory(member.kind === 'directory' ? path : parentOf(path), true);
  if (member.kind === 'directory') return;
  files.remove(path, { recursive: false, force: true });
  if (member.kind === 'link') files.link(member.to, path);
  else files.write(path, member.bytes, { mode: member.mode });
}

async function input(options: Arguments, context: CommandContext): Promise<string> {
  const file = options.value('-f', '--file') ?? '-';
  return file === '-' ? await context.stdin() : context.files.read(context.path(file));
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space left on device',
  EACCES: 'Permission denied',
  ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
};

async function readArchive(options: Arguments, context: CommandContext): Promise<Output> {
  let bytes: string;
  try {
    bytes = await input(options, context);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const name = options.value('-f', '--file') ?? '';
    return failure(
      2,
      `tar (child): ${name}: Cannot open: ${REASONS[error.code]}\ntar (child): Error is not recoverable: exiting now\ntar: Child returned status 2\n${FATAL}`,
    );
  }
  const members = membersOf(bytes, options.has('-z', '--gzip'));
  if (typeof members === 'string') return failure(2, members);
  const directory = context.path(options.value('-C', '--directory') ?? '.');
  const listing = options.has('-t', '--list');
  if (!listing && !context.files.exists(directory)) {
    return failure(2, `tar: ${directory}: Cannot open: No such file or directory\n${FATAL}`);
  }
  const chosen = members.filter(({ name }) => isWanted(name, options.operands));
  const stdout = listing || options.has('-v', '--verbose') ? chosen.map(({ name }) => `${name}\n`).join('') : '';
  if (!listing) {
    const problem = extract(chosen, directory, { context, strip: Number(options.value('--strip-components') ?? '0') });
    if (problem !== undefined) return failure(2, problem, stdout);
  }
  const missing = options.operands.filter((word) => !members.some(({ name }) => isWanted(name, [word])));
  if (missing.length === 0) return ok(stdout);
  const words = missing.map((name) => `tar: ${name}: Not found in archive\n`).join('');
  return failure(2, `${words}tar: Exiting with failure status due to previous errors`, stdout);
}

function extract(
  members: readonly Member[],
  directory: string,
  { context, strip }: { readonly context: CommandContext; readonly strip: number },
): string | undefined {
  for (const member of members) {
    try {
      place(member, directory, context, strip);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const act = error.code === 'ENOSPC' ? 'Cannot write' : 'Cannot open';
      return `tar: ${member.name}: ${act}: ${REASONS[error.code] ?? error.message}\ntar: Exiting with failure status due to previous errors`;
    }
  }
  return undefined;
}

function gather(name: string, path: string, { files }: CommandContext): readonly Member[] {
  const entry = files.stat(path, false);
  if (entry.kind === 'file') return [{ kind: 'file', name, mode: entry.mode, bytes: files.read(path), to: '' }];
  if (entry.kind === 'link') return [{ kind: 'link', name, mode: 0o777, bytes: '', to: entry.to }];
  const own: Member = { kind: 'directory', name: `${name}/`, mode: entry.mode, bytes: '', to: '' };
  return [
    own,
    ...files.list(path).flatMap((child) => gather(`${name}/${child}`, `${path}/${child}`, { files } as CommandContext)),
  ];
}

function create(options: Arguments, context: CommandContext): Output {
  const directory = options.value('-C', '--directory') ?? '.';
  const members: Member[] = [];
  for (const operand of options.operands) {
    const path = context.path(operand.startsWith('/') ? operand : `${directory}/${operand}`);
    if (!context.files.exists(path)) {
      return failure(
        2,
        `tar: ${operand}: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors`,
      );
    }
    members.push(...gather(operand.replace(/^\/+/, '').replace(/\/$/, ''), path, context));
  }
  if (members.length === 0)
    return failure(
      2,
      "tar: Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.",
    );
  const packed = packTar(members);
  const bytes = (options.has('-z', '--gzip') ? gzipSync(packed) : packed).toString('latin1');
  const file = options.value('-f', '--file') ?? '-';
  if (file === '-') return { stdout: bytes, binary: true, stderr: '', exitCode: 0 };
  context.files.write(context.path(file), bytes);
  return ok(options.has('-v') ? members.map(({ name }) => `${name}\n`).join('') : '');
}

/**
 * Turns letters without a dash (`tar Cxzf DIRECTORY FILE`) into options: each letter with a value takes the next
 * argument.
 */
function fromOldStyle(letters: string, rest: readonly string[]): readonly string[] {
  const left = [...rest];
  const options = [...letters].flatMap((letter) => {
    const option = `-${letter}`;
    return VALUES.has(option) ? [option, left.shift() ?? ''] : [option];
  });
  return [...options, ...left];
}

async function tar(args: readonly string[], context: CommandContext): Promise<Output> {
  const [first = '', ...rest] = args;
  if (first === '--version') return ok('tar (GNU tar) 1.34\n');
  const options = parseArguments(first.startsWith('-') ? args : fromOldStyle(first, rest), VALUES);
  if (options.has('-c', '--create')) return create(options, context);
  if (options.has('-x', '--extract', '--get', '-t', '--list')) return readArchive(options, context);
  return failure(
    2,
    "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\nTry 'tar --help' or 'tar --usage' for more information.",
  );
}

async function zcat(args: readonly string[], context: CommandContext): Promise<Output> {
  const names = args.filter((argument) => !argument.startsWith('-'));
  let stdout = '';
  for (const name of names.length > 0 ? names : ['-']) {
    if (name !== '-' && !context.files.exists(context.path(name)))
      return failure(1, `gzip: ${name}: No such file or directory`, stdout);
    const bytes = name === '-' ? await context.stdin() : context.files.read(context.path(name));
    if (!isGzip(bytes)) return failure(1, `\ngzip: ${name === '-' ? 'stdin' : name}: not in gzip format`, stdout);
    try {
      stdout += gunzipSync(Buffer.from(bytes, 'latin1')).toString('latin1');
    } catch {
      return failure(1, `\ngzip: ${name === '-' ? 'stdin' : name}: unexpected end of file`, stdout);
    }
  }
  return { stdout, binary: true, stderr: '', exitCode: 0 };
}

export const ARCHIVES: CommandTable = { tar: { run: tar }, zcat: { run: zcat } };
