import path from 'node:path';
import type { Command } from 'commander';
import { isAlive, stopProcess } from '../up/process-identity.ts';
import { readUpRecord } from '../up/up-record.ts';
import { dataOption } from './options.ts';

export function addDownCommand(program: Command): void {
  program
    .command('down')
    .description('end `vnflow up`, and processes that it left behind after a kill -9')
    .addOption(dataOption())
    .action(down);
}

/**
 * Ends `up` first, which ends its children in order. Processes that still run then were left behind, and are ended,
 * too.
 */
async function down({ data }: { data: string }): Promise<void> {
  const record = readUpRecord(path.resolve(data));
  const parts = record
    ? [
        { name: 'vnflow up', identity: record.process },
        { name: 'simulator', identity: record.simulator?.process },
        { name: 'Temporal server', identity: record.temporal?.process },
      ]
    : [];
  let ended = 0;
  for (const { name, identity } of parts) {
    if (!identity || !isAlive(identity)) continue;
    await stopProcess(identity, 30_000);
    process.stdout.write(`• ended ${name} (process ${identity.pid})\n`);
    ended += 1;
  }
  if (ended === 0) process.stdout.write(`Nothing of vnflow runs on ${data}.\n`);
}
