import { Command } from 'commander';
import { opOccLines } from '../operations/op-occ-table.ts';
import { exitCodeOf, watchForm, watchOperation } from '../operations/watch.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { controlOpOcc, listOpOccs } from '../vnfm/operations.ts';
import { dataOption } from './options.ts';

const CONTROLS = {
  retry: 'go on at the failed step',
  rollback: 'undo what was done; nothing is left in the cloud',
  fail: 'give up and leave things as they are',
} as const;

interface ListOptions {
  readonly data: string;
  readonly vnf?: string;
  readonly json?: boolean;
}

export function addOpsCommand(program: Command): void {
  const ops = program
    .command('ops')
    .description('list operations; steer one that is in FAILED_TEMP')
    .option('--vnf <id>', 'of this VNF instance only')
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .action(list);
  for (const [control, description] of Object.entries(CONTROLS) as [keyof typeof CONTROLS, string][]) {
    ops.addCommand(
      new Command(control)
        .argument('<op-occ>')
        .description(description)
        .option('--watch', 'follow what comes of it')
        .action(async (opOccId: string, { watch }: { watch?: boolean }) => {
          const vnfm = createVnfm(connectionFrom(process.env, ops.opts<ListOptions>().data));
          await steer(vnfm, opOccId, { control, watch });
        }),
    );
  }
}

async function list({ data, vnf, json }: ListOptions): Promise<void> {
  const opOccs = await listOpOccs(createVnfm(connectionFrom(process.env, data)), vnf);
  process.stdout.write(json ? `${JSON.stringify(opOccs, null, 2)}\n` : `${opOccLines(opOccs).join('\n')}\n`);
}

async function steer(
  vnfm: Vnfm,
  opOccId: string,
  { control, watch }: { control: keyof typeof CONTROLS; watch: boolean | undefined },
): Promise<void> {
  await controlOpOcc(vnfm, opOccId, control);
  process.stdout.write(`${control} accepted: vnflow watch ${opOccId}\n`);
  if (watch) process.exitCode = exitCodeOf(await watchOperation(vnfm, opOccId, watchForm(false)));
}
