import { writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { foreignText } from '../../domain/foreign-text.ts';
import { mergeKubeconfig, readKubeconfig } from '../kubeconfig-file.ts';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { findInstance } from '../vnfm/find-instance.ts';
import { kubeconfigOf } from '../vnfm/operations.ts';
import { dataOption, INSTANCE_WORDS } from './options.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

interface Options {
  readonly data: string;
  readonly out?: string;
  readonly merge?: boolean;
  readonly ttl?: number;
  readonly role?: string;
  readonly server?: string;
}

/** Adds the command that gets a credential for a cluster. */
export function addKubeconfigCommand(program: Command): void {
  program
    .command('kubeconfig')
    .description('print a kubeconfig of a cluster, with a credential of your own that ends by itself')
    .argument('<instance>', INSTANCE_WORDS)
    .option('--out <file>', 'write it to this file (0600)')
    .addOption(new Option('--merge', 'add it to the first file of KUBECONFIG, or to ~/.kube/config').conflicts('out'))
    .option('--ttl <time>', 'how long it is valid: 10m to 24h (1h)', parseTime)
    .addOption(
      new Option('--role <role>', 'what it may do: view, edit, or admin for everything (edit)').choices([
        'view',
        'edit',
        'admin',
      ]),
    )
    .option('--server <url>', 'address of the API server, where yours differs: https://host:port')
    .addOption(dataOption())
    .action(getKubeconfig);
}

function parseTime(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (seconds >= 600 && seconds <= 24 * 3600) return seconds;
  throw new InvalidArgumentError('A time is from 10m to 24h, for example 90m.');
}

async function getKubeconfig(typed: string, { data, out, merge, ttl, role, server }: Options): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, data));
  const id = await findInstance(vnfm, typed);
  const answer = await kubeconfigOf(vnfm, id, {
    ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    ...(role === undefined ? {} : { role }),
  });
  const given = readKubeconfig(answer, server);
  if (merge) {
    const file = mergeKubeconfig(process.env, given);
    return say(`context ${given.context} added to ${file}; ${given.note}`);
  }
  if (out === undefined) return void process.stdout.write(given.text);
  writeFileSync(out, given.text, { mode: 0o600 });
  say(`${out} written; ${given.note}`);
}

/** Standard output is for the kubeconfig alone. */
function say(sentence: string): void {
  process.stderr.write(`${foreignText(sentence)}\n`);
}
