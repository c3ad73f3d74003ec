import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { USAGE_EXIT_CODE, usageErrorLines } from './usage-error.ts';
import { CliFailure } from './vnfm/failure.ts';

const program = createProgram();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    const { exitCode } = error;
    if (exitCode !== 0 && error.code !== 'commander.help')
      process.stderr.write(`${usageErrorLines(program, process.argv.slice(2), error).join('\n')}\n`);
    process.exitCode = exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  } else {
    process.stderr.write(`vnflow: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof CliFailure) && process.env['VNFLOW_DEBUG']) console.error(error);
    process.exit(error instanceof CliFailure ? error.exitCode : 1); // even if something still keeps the event loop alive: a failed process must not hang
  }
}
