import type { Command } from 'commander';
import { z } from 'zod';
import { foreignText } from '../../domain/foreign-text.ts';
import { table } from '../table.ts';
import { createVnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { dataOption } from './options.ts';

const HostKeys = z.array(
  z.looseObject({
    machine: z.string(),
    address: z.string().optional(),
    nodeName: z.string().optional(),
    keyType: z.string(),
    fingerprint: z.string(),
    source: z.string(),
    seenAt: z.string(),
  }),
);

/** Adds the commands that show and forget the host keys by which SSH servers are recognised. */
export function addHostKeysCommand(program: Command): void {
  const keys = program
    .command('host-keys')
    .description('show or forget the host keys that are pinned for servers and the bastion')
    .addOption(dataOption());
  const vnfm = () => createVnfm(connectionFrom(process.env, keys.opts<{ data: string }>().data));
  keys
    .command('list')
    .description('list the pinned host keys, with the machine that `forget` takes')
    .action(async () => {
      const listed = (await vnfm().request({ method: 'GET', path: '/vnflow/v1/host_keys' })).read(HostKeys);
      const rows = listed.map((key) =>
        [key.machine, key.nodeName ?? key.address ?? '-', key.fingerprint, key.keyType, key.source, key.seenAt].map(
          (cell) => foreignText(cell),
        ),
      );
      print(table(['MACHINE', 'NAME', 'FINGERPRINT', 'TYPE', 'FROM', 'SEEN'], rows));
    });
  keys
    .command('forget <machine>')
    .description('forget the key of a machine (id of a server, or `bastion`): the next contact pins another one')
    .action(async (machine: string) => {
      await vnfm().request({ method: 'DELETE', path: `/vnflow/v1/host_keys/${encodeURIComponent(machine)}` });
      print([`The host key of ${machine} is forgotten. The next contact pins the key that it shows then.`]);
    });
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
