import type { Command } from 'commander';

/** The simulated OpenStack without vnflow. Its options are the simulator's own: what they mean is written there. */
export function addSimulatorCommand(program: Command): void {
  program
    .command('simulator')
    .description('the simulated OpenStack and its servers alone, until Ctrl-C; see simulator/README.md')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(runWithOptions);
}

async function runWithOptions(args: readonly string[]): Promise<void> {
  const { runSimulator, SIMULATOR_HELP } = await import('../../simulator/index.ts');
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`Usage: vnflow simulator [options]\n${SIMULATOR_HELP}`);
    return;
  }
  await runSimulator(args);
}
