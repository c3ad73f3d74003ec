import type { Command } from 'commander';
import { exitCodeOf, watchForm, watchOperation } from '../operations/watch.ts';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { findOperation } from '../vnfm/find-operation.ts';
import { dataOption, OPERATION_WORDS } from './options.ts';

export function addWatchCommand(program: Command): void {
  program
    .command('watch')
    .argument('<operation>', OPERATION_WORDS)
    .description('follow an operation until it ends or waits; exit code 0: COMPLETED, 1: failed, 3: ROLLED_BACK')
    .option('--json', 'print each event as a line of JSON')
    .addOption(dataOption())
    .action(async (typed: string, { data, json }: { data: string; json?: boolean }) => {
      const vnfm = createVnfm(connectionFrom(process.env, data));
      const opOccId = await findOperation(vnfm, typed);
      process.exitCode = exitCodeOf(await watchOperation(vnfm, opOccId, watchForm(json)));
    });
}
