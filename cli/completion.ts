import type { Command } from 'commander';

/** A command, and the words that may follow it. */
interface Place {
  /** `vnflow ops retry` without `vnflow`. */
  readonly path: string;
  readonly words: readonly string[];
}

/**
 * The words after each command: its subcommands, options, and the values that an argument is limited to. They are
 * written into the script: no process of vnflow runs while a person types.
 */
function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const words = [
    ...command.commands.map((each) => each.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((each) => placesOf(each, [...path, each.name()])),
  ];
}

/** Completion for bash. */
export function bashCompletion(program: Command): string {
  return `_vnflow() {
  local word path='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${caseLines(program)}
    esac
    [ -n "$words" ] || [ -z "$path" ] && break
    case "$path" in *' '*) path="\${path% *}" ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _vnflow vnflow
`;
}

function caseLines(program: Command): string {
  return placesOf(program)
    .map(({ path, words }) => `      '${path}') words='${words.join(' ')}' ;;`)
    .join('\n');
}

/** Completion for zsh: that of bash, which zsh understands. */
export function zshCompletion(program: Command): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashCompletion(program)}`;
}

/** Completion for fish. */
export function fishCompletion(program: Command): string {
  const lines = placesOf(program).flatMap(({ path, words }) => {
    const condition = path === '' ? '__fish_use_subcommand' : conditionOf(path);
    return words.map((word) =>
      word.startsWith('--')
        ? `complete -c vnflow -n '${condition}' -l ${word.slice(2)}`
        : `complete -c vnflow -n '${condition}' -a ${word}`,
    );
  });
  return `${lines.join('\n')}\n`;
}

function conditionOf(path: string): string {
  return path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
}
