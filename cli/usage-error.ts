import type { Command, CommanderError } from 'commander';

/** A word that differs in more letters than this is another word. */
const MOST_EDITS = 2;

/** EX_USAGE of sysexits.h. */
export const USAGE_EXIT_CODE = 64;

/**
 * Says what is wrong with a command line, in a line or two, without the whole help.
 * @param words the command line without the program
 */
export function usageErrorLines(program: Command, words: readonly string[], error: CommanderError): string[] {
  const { command, rest } = commandOf(program, words);
  const [first] = rest;
  const names = command.commands.map((each) => each.name());
  const isWrongSubcommand = error.code === 'commander.excessArguments' && first !== undefined && names.length > 0;
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  const near = isWrongSubcommand ? nearest(first, names) : undefined;
  const said = isWrongSubcommand ? `unknown command '${first}'` : message;
  return [`vnflow: ${said}${near === undefined ? '' : ` (Did you mean ${near}?)`}`, `  See ${pathOf(command)} --help`];
}

/** The deepest command that the words name, and the operands after it. */
function commandOf(program: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = program;
  const operands = words.filter((word) => !word.startsWith('-'));
  for (const [at, word] of operands.entries()) {
    const found = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!found) return { command, rest: operands.slice(at) };
    command = found;
  }
  return { command, rest: [] };
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, edits: distance(typed, name) })).sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= MOST_EDITS ? best.name : undefined;
}

/** Levenshtein's: letters to add, leave out or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
