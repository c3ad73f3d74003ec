import { type CommandContext, type CommandTable, failure, type Output, ok } from './shell/command.ts';

/** Options of grep with one letter. `-P` is the language of patterns of Perl, which JavaScript's is close to. */
const PERL = /^-[a-zA-Z]*P[a-zA-Z]*$/;

/** just-bash's grep has no look-behind: patterns of `-P` are matched here. */
async function grep(args: readonly string[], context: CommandContext): Promise<Output> {
  if (!args.some((argument) => PERL.test(argument))) return context.original(args);
  const letters = new Set(args.filter((argument) => /^-[a-zA-Z]+$/.test(argument)).flatMap((one) => [...one.slice(1)]));
  const [pattern = '', ...files] = args.filter((argument) => !argument.startsWith('-'));
  const expression = new RegExp(pattern, letters.has('i') ? 'gi' : 'g');
  let text = '';
  for (const file of files) {
    const path = context.path(file);
    if (!context.files.exists(path)) return failure(2, `grep: ${file}: No such file or directory`);
    text += context.files.readText(path);
  }
  if (files.length === 0) text = Buffer.from(await context.stdin(), 'latin1').toString('utf8');
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);
  const found = lines.flatMap((line) => {
    const matches = [...line.matchAll(expression)].map(([match]) => match).filter((match) => match !== '');
    if (letters.has('o')) return matches;
    return matches.length > 0 === letters.has('v') ? [] : [line];
  });
  if (found.length === 0) return failure(1, '');
  return ok(letters.has('q') ? '' : `${found.join('\n')}\n`);
}

/** just-bash's date has no `%N`, the nanoseconds: `%3N` are the first three digits. */
function date(args: readonly string[], context: CommandContext): Promise<Output> {
  const nanoseconds = `${String(Date.now() % 1000).padStart(3, '0')}000000`;
  const plain = (format: string) =>
    format.replaceAll(/%(\d?)N/g, (_, digits: string) => nanoseconds.slice(0, Number(digits || 9)));
  return context.original(args.map((argument) => (argument.startsWith('+') ? plain(argument) : argument)));
}

/** just-bash's sed does not know `-u`; it reads all of its input at once, so there is nothing to flush. */
function sed(args: readonly string[], context: CommandContext): Promise<Output> {
  return context.original(args.filter((argument) => argument !== '-u' && argument !== '--unbuffered'));
}

export const TEXT: CommandTable = {
  grep: { run: grep },
  date: { run: date },
  sed: { run: sed },
};
