import type { Command } from 'commander';
import { addressLines } from '../up/address-table.ts';
import { DEFAULT_DATA, dataOption, portOption, speedOption } from './options.ts';
import { onStopRequest } from './until-stopped.ts';

interface Options {
  readonly data: string;
  readonly port?: number;
  readonly speed?: number;
  readonly simulator: boolean;
  readonly databaseUrl?: string;
}

export function addUpCommand(program: Command): void {
  program
    .command('up')
    .description('start Temporal server, store, simulated OpenStack, worker and API on this machine')
    .addOption(dataOption())
    .addOption(portOption())
    .addOption(speedOption())
    .option('--no-simulator', 'use a real OpenStack: its Keystone is VNFLOW_KEYSTONE_URL or OS_AUTH_URL')
    .option('--database-url <url>', 'a PostgreSQL instead of the embedded store (or DATABASE_URL)')
    .action(up);
}

async function up(options: Options): Promise<void> {
  const stop = onStopRequest();
  const { startUp } = await import('../up/start-up.ts');
  const running = await startUp({
    ...options,
    environment: process.env,
    say: (line) => process.stdout.write(`• ${line}\n`),
  });
  process.stdout.write(`\n${addressLines(running.record).join('\n')}\n\n${hints(options.data).join('\n')}\n`);
  try {
    await Promise.race([stop.requested, running.stopped]);
  } finally {
    process.stdout.write('\n• Stopping: running steps are handed back and go on at the next start\n');
    await running.stop();
  }
  process.stdout.write('• Stopped\n');
  process.exit(0); // whatever still holds the event loop
}

function hints(data: string): string[] {
  const option = data === DEFAULT_DATA ? '' : ` --data ${data}`;
  return [
    `In another terminal: eval "$(npx vnflow env${option})"   then curl, openstack, temporal, ssh -J $BASTION …`,
    'Ctrl-C stops all of it; the next `vnflow up` goes on where this one was.',
  ];
}
