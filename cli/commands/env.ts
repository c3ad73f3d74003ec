import type { Command } from 'commander';
import { exportLines } from '../up/export-lines.ts';
import { runningUp, simulatorUser } from '../vnfm/connection.ts';
import { keystoneToken } from '../vnfm/keystone-token.ts';
import { dataOption } from './options.ts';

export function addEnvCommand(program: Command): void {
  program
    .command('env')
    .description('print the addresses of the running vnflow as shell exports: eval "$(npx vnflow env)"')
    .addOption(dataOption())
    .action(env);
}

async function env({ data }: { data: string }): Promise<void> {
  const record = runningUp(data);
  const user = record.simulator && simulatorUser(record.simulator.authUrl);
  const token = user && (await keystoneToken(user));
  process.stdout.write(`${exportLines(record, { user, token }).join('\n')}\n`);
}
