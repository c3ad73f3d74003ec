import type { Command } from 'commander';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { dataOption } from './options.ts';

export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print a token for the API (header X-Auth-Token)')
    .addOption(dataOption())
    .action(async ({ data }: { data: string }) => {
      process.stdout.write(`${await createVnfm(connectionFrom(process.env, data)).token()}\n`);
    });
}
