import type { Command } from 'commander';
import type { Durability } from '../../worker/configuration.ts';
import { addressLines } from '../up/address-table.ts';
import {
  DEFAULT_DATA,
  dataOption,
  durabilityOption,
  hostsOption,
  portOption,
  speedOption,
  temporalPortOption,
} from './options.ts';
import { runToItsEnd } from './run-to-its-end.ts';
import { untilStarted } from './until-started.ts';
import { onStopRequest } from './until-stopped.ts';

interface Options {
  readonly data: string;
  readonly port?: number;
  readonly temporalPort?: number;
  readonly speed?: number;
  readonly hosts?: number;
  readonly simulator: boolean;
  readonly databaseUrl?: string;
  readonly durability: Durability;
}

export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('start a Temporal server, store, simulated OpenStack, worker and API on this machine')
    .addOption(dataOption())
    .addOption(portOption())
    .addOption(temporalPortOption())
    .addOption(speedOption())
    .addOption(hostsOption())
    .addOption(durabilityOption('power'))
    .option('--no-simulator', 'use a real OpenStack: its Keystone is VNFLOW_KEYSTONE_URL or OS_AUTH_URL')
    .option('--database-url <url>', 'use a PostgreSQL instead of the embedded store (or set DATABASE_URL)')
    .action(up);
}

async function up(options: Options): Promise<void> {
  const stop = onStopRequest();
  const { startUp } = await import('../up/start-up.ts');
  const starting = startUp({
    ...options,
    environment: process.env,
    say: (line) => process.stdout.write(`• ${line}\n`),
  });
  const running = await untilStarted(starting, stop);
  process.stdout.write(`\n${addressLines(running.record).join('\n')}\n\n${hints(options.data).join('\n')}\n`);
  const say = (line: string) => process.stdout.write(`\n• ${line}\n`);
  const code = await runToItsEnd(running, {
    requested: stop.requested,
    stopping: () => say('Stopping: running steps are interrupted and continue at the next start'),
    complain: (problem) => process.stderr.write(`vnflow: ${problem}\n`),
  });
  say('Stopped');
  process.exit(code); // even if something still keeps the event loop alive
}

function hints(data: string): string[] {
  const option = data === DEFAULT_DATA ? '' : ` --data ${data}`;
  return [
    `In another terminal: eval "$(npx vnflow env${option})"   then curl, openstack, temporal, ssh -J $BASTION …`,
    'Ctrl-C stops everything; the next `vnflow up` continues from there.',
  ];
}
