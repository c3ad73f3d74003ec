import { Argument, type Command } from 'commander';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion.ts';

const SHELLS: Readonly<Record<string, (program: Command) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Adds the command that prints the completion of a shell. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print completion of commands and options: eval "$(vnflow completion bash)"; fish: … | source')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .action((shell: string) => {
      process.stdout.write(SHELLS[shell]?.(program) ?? '');
    });
}
