import type { Command } from 'commander';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { registryCaOf } from '../vnfm/operations.ts';
import { dataOption } from './options.ts';

interface Options {
  readonly data: string;
  readonly json?: boolean;
}

export function addRegistryCommand(program: Command): void {
  program
    .command('registry')
    .description('what clients of a private registry need')
    .command('ca <vnf>')
    .description("print the certificate of the registry's CA in PEM: clients that trust it trust the registry")
    .option('--json', 'with its fingerprint and the end of its life, as JSON')
    .addOption(dataOption())
    .action(showCa);
}

async function showCa(vnf: string, { data, json }: Options): Promise<void> {
  const ca = await registryCaOf(createVnfm(connectionFrom(process.env, data)), vnf);
  process.stdout.write(json ? `${JSON.stringify(ca, null, 2)}\n` : ca.certificate);
}
