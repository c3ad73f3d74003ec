import type { Command } from 'commander';
import { table } from '../table.ts';
import { lockData } from '../up/data-lock.ts';
import { dataOption } from './options.ts';

interface Options {
  readonly data: string;
}

/** Adds the commands for the master key. They work on the store itself, because no API may give out what they need. */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('the master key, under which the store keeps its secrets');
  keys
    .command('list')
    .description('count what is sealed under which master key')
    .addOption(dataOption())
    .action(async ({ data }: Options) => {
      const { listKeyUses } = await import('../../worker/rotate-master-key.ts');
      const uses = await alone(data, () => listKeyUses(process.env, data));
      const rows = uses.map((use) => [use.keyId ?? 'not known', use.role, use.table, String(use.rows)]);
      print(table(['KEY', 'ROLE', 'TABLE', 'ROWS'], rows));
    });
  keys
    .command('rotate')
    .description(
      'seal everything under the first key of VNFLOW_MASTER_KEY; without that variable, under a new key in the key file of `vnflow up`, which must be stopped',
    )
    .addOption(dataOption())
    .action(async ({ data }: Options) => {
      const { rotateMasterKey } = await import('../../worker/rotate-master-key.ts');
      const { keyId, resealed, next } = await alone(data, () => rotateMasterKey(process.env, data));
      print([`${resealed} rows sealed anew: everything is under the key ${keyId}.`, ...next]);
    });
}

/** One process at a time may use an embedded store. */
async function alone<T>(data: string, work: () => Promise<T>): Promise<T> {
  const isEmbedded = !process.env['DATABASE_URL'] && !process.env['DATABASE_URL_FILE'];
  const unlock = isEmbedded ? lockData(data) : () => {};
  try {
    return await work();
  } finally {
    unlock();
  }
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
