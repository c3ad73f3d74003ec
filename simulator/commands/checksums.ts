import { createHash } from 'node:crypto';
import { toText } from '../world/files/bytes.ts';
import { FileError } from '../world/files/tree.ts';
import { sha256Of } from '../world/internet/artefacts.ts';
import { type CommandContext, type CommandTable, failure, type Output, parseArguments } from './shell/command.ts';

type Digest = (bytes: string) => string;

const hash =
  (algorithm: string): Digest =>
  (bytes) =>
    createHash(algorithm).update(Buffer.from(bytes, 'latin1')).digest('hex');

const DIGESTS: Readonly<Record<string, { readonly length: number; readonly digest: Digest }>> = {
  md5sum: { length: 32, digest: hash('md5') },
  sha1sum: { length: 40, digest: hash('sha1') },
  sha256sum: { length: 64, digest: sha256Of },
  sha512sum: { length: 128, digest: hash('sha512') },
};

interface Tool {
  readonly name: string;
  readonly length: number;
  readonly digest: Digest;
}

type Read = { readonly bytes: string } | { readonly problem: string };

async function read(name: string, context: CommandContext): Promise<Read> {
  try {
    return { bytes: name === '-' ? await context.stdin() : context.files.read(context.path(name)) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reasons: Record<string, string> = { EACCES: 'Permission denied', EISDIR: 'Is a directory' };
    return { problem: reasons[error.code] ?? 'No such file or directory' };
  }
}

async function print({ name, digest }: Tool, files: readonly string[], context: CommandContext): Promise<Output> {
  let stdout = '';
  let stderr = '';
  for (const file of files) {
    const content = await read(file, context);
    if ('problem' in content) stderr += `${name}: ${file}: ${content.problem}\n`;
    else stdout += `${digest(content.bytes)}  ${file}\n`;
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

interface Count {
  good: number;
  wrong: number;
  unread: number;
}

async function check(
  tool: Tool,
  lists: readonly string[],
  options: { readonly context: CommandContext; readonly has: (name: string) => boolean },
): Promise<Output> {
  const { context, has } = options;
  const count: Count = { good: 0, wrong: 0, unread: 0 };
  let stdout = '';
  let stderr = '';
  for (const list of lists) {
    const content = await read(list, context);
    if ('problem' in content) return failure(1, `${tool.name}: ${list}: ${content.problem}`, stdout);
    const entries = [...toText(content.bytes).matchAll(new RegExp(`^([0-9a-fA-F]{${tool.length}}) [ *](.+)$`, 'gm'))];
    if (entries.length === 0) {
      return failure(
        1,
        `${tool.name}: ${list === '-' ? "'standard input'" : list}: no properly formatted checksum lines found`,
      );
    }
    for (const [, wanted = '', file = ''] of entries) {
      const found = await read(file, context);
      if ('problem' in found) {
        if (has('--ignore-missing')) continue;
        count.unread += 1;
        stderr += `${tool.name}: ${file}: ${found.problem}\n`;
        stdout += `${file}: FAILED open or read\n`;
        continue;
      }
      const good = tool.digest(found.bytes) === wanted.toLowerCase();
      count[good ? 'good' : 'wrong'] += 1;
      if (!good || !has('--quiet')) stdout += `${file}: ${good ? 'OK' : 'FAILED'}\n`;
    }
  }
  const plural = (number: number) => (number === 1 ? '' : 's');
  if (count.unread > 0)
    stderr += `${tool.name}: WARNING: ${count.unread} listed file${plural(count.unread)} could not be read\n`;
  if (count.wrong > 0)
    stderr += `${tool.name}: WARNING: ${count.wrong} computed checksum${plural(count.wrong)} did NOT match\n`;
  const exitCode = count.wrong + count.unread > 0 || count.good === 0 ? 1 : 0;
  return has('--status') ? { stdout: '', stderr: '', exitCode } : { stdout, stderr, exitCode };
}

export const CHECKSUMS: CommandTable = Object.fromEntries(
  Object.entries(DIGESTS).map(([name, { length, digest }]) => [
    name,
    {
      run: (args: readonly string[], context: CommandContext) => {
        const options = parseArguments(args, new Set());
        const files = options.operands.length > 0 ? options.operands : ['-'];
        const tool = { name, length, digest };
        const has = (option: string) => options.has(option);
        return options.has('-c', '--check') ? check(tool, files, { context, has }) : print(tool, files, context);
      },
    },
  ]),
);
