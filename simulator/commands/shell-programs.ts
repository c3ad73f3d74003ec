import { type CommandContext, type Finished, failure, type Output, ok } from './shell/command.ts';

/** Passes the output of a command through, byte by byte. */
export const passed = (result: Finished): Output => ({ ...result, binary: true });

/** Runs `sh` or `bash` with a text, a file, or standard input. */
export async function shell(name: string, args: readonly string[], context: CommandContext): Promise<Output> {
  let options = '';
  let text: string | undefined;
  let index = 0;
  for (; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') {
      index += 1;
      break;
    }
    if (!argument.startsWith('-') && !argument.startsWith('+')) break;
    if (argument.startsWith('--')) {
      if (argument === '--version') return ok('GNU bash, version 5.1.16(1)-release (x86_64-pc-linux-gnu)\n');
      continue;
    }
    const letters = argument.slice(1);
    if (letters.endsWith('o')) {
      index += 1;
      options += `set ${argument.slice(0, -1) === '-' ? '' : `${argument.slice(0, -1)}; set `}-o ${args[index] ?? ''}; `;
      continue;
    }
    const own = letters.replaceAll(/[clis]/g, '');
    if (own !== '') options += `set ${argument.charAt(0)}${own}; `;
    if (letters.includes('c')) {
      index += 1;
      text = args[index] ?? '';
      index += 1;
      break;
    }
    if (letters.includes('s')) {
      index += args[index + 1] === '--' ? 2 : 1;
      break;
    }
  }
  const rest = args.slice(index);
  if (text !== undefined) {
    return passed(await context.script(options + text, rest.length > 0 ? rest : [name]));
  }
  const readsScript = rest.length === 0 || args.slice(0, index).some((argument) => /^-\w*s\w*$/.test(argument));
  if (readsScript)
    return passed(await context.script(options + (await inputText(context)), [name, ...rest], { stdin: '' }));
  const [file = '', ...positional] = rest;
  const path = context.path(file);
  if (!context.files.exists(path)) return failure(127, `${name}: ${file}: No such file or directory`);
  return passed(await context.script(options + context.files.readText(path), [file, ...positional]));
}

async function inputText(context: CommandContext): Promise<string> {
  return Buffer.from(await context.stdin(), 'latin1').toString('utf8');
}
