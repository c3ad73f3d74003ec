import type { Command } from 'commander';
import { checkSimulatorPresent } from '../up/simulator-presence.ts';

/**
 * Adds the command that runs the simulated OpenStack without vnflow. The simulator defines and explains the options.
 */
export function addSimulatorCommand(program: Command): void {
  program
    .command('simulator')
    .description('run only the simulated OpenStack and its servers, until Ctrl-C; see simulator/README.md')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(runWithOptions);
}

async function runWithOptions(args: readonly string[]): Promise<void> {
  checkSimulatorPresent();
  const { runSimulator, SIMULATOR_HELP } = await import('../../simulator/index.ts');
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`Usage: vnflow simulator [options]\n${SIMULATOR_HELP}`);
    return;
  }
  await runSimulator(args);
}
