import { Command } from 'commander';
import { opOccLines } from '../operations/op-occ-table.ts';
import { stepLines } from '../operations/step-table.ts';
import { exitCodeOf, watchForm, watchOperation } from '../operations/watch.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import {
  controlOpOcc,
  controlStep,
  listOpOccs,
  type OpOccControl,
  type StepControl,
  timelineOf,
} from '../vnfm/operations.ts';
import { dataOption } from './options.ts';

const DECISIONS = {
  retry: 'run the failed steps of an operation once more; with --step only one of them',
  rollback: 'undo an operation; it leaves nothing in the cloud',
  fail: 'end an operation as FAILED and leave everything as it is',
} as const;

interface ListOptions {
  readonly data: string;
  readonly vnf?: string;
  readonly json?: boolean;
}

interface ControlOptions {
  readonly watch?: boolean;
  readonly step?: string;
  readonly forceful?: boolean;
}

export function addOpsCommand(program: Command): void {
  const ops = program
    .command('ops')
    .description('list operations; control them with the commands below')
    .option('--vnf <id>', 'list only operations of this VNF instance')
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .action(list);
  const vnfm = () => createVnfm(connectionFrom(process.env, ops.opts<ListOptions>().data));
  for (const [decision, description] of Object.entries(DECISIONS) as [keyof typeof DECISIONS, string][]) {
    const command = controlCommand(decision, description).action((opOccId: string, { watch, step }: ControlOptions) =>
      step === undefined
        ? controlOperation(vnfm(), opOccId, { control: decision, watch })
        : steerStep(vnfm(), { opOccId, stepId: step }, 'retry'),
    );
    ops.addCommand(
      decision === 'retry'
        ? command.option('--step <id>', 'retry only this step, at once, even while other steps run')
        : command,
    );
  }
  ops.addCommand(
    controlCommand('cancel', 'start no further step and let running steps end; then the operation waits in FAILED_TEMP')
      .option('--forceful', 'stop running steps, too')
      .action((opOccId: string, { watch, forceful }: ControlOptions) =>
        controlOperation(vnfm(), opOccId, { control: { cancelMode: forceful ? 'FORCEFUL' : 'GRACEFUL' }, watch }),
      ),
  );
  addStepCommands(ops, vnfm);
}

function controlCommand(name: string, description: string): Command {
  return new Command(name)
    .argument('<op-occ>')
    .description(description)
    .option('--watch', 'follow the operation afterwards');
}

function addStepCommands(ops: Command, vnfm: () => Vnfm): void {
  ops
    .command('steps <op-occ>')
    .description('list the steps of an operation by their ids')
    .action(async (opOccId: string) => print(stepLines(await timelineOf(vnfm(), opOccId))));
  ops
    .command('skip <op-occ> <step>')
    .description('skip a step; the steps after it can start')
    .requiredOption('--reason <text>', 'why the step is skipped; shown with the step')
    .action((opOccId: string, stepId: string, { reason }: { reason: string }) =>
      steerStep(vnfm(), { opOccId, stepId }, { reason }),
    );
  ops
    .command('pause <op-occ> <step>')
    .description('do not start a step before it is resumed')
    .action((opOccId: string, stepId: string) => steerStep(vnfm(), { opOccId, stepId }, 'pause'));
  ops
    .command('resume <op-occ> <step>')
    .description('let a paused step start')
    .action((opOccId: string, stepId: string) => steerStep(vnfm(), { opOccId, stepId }, 'resume'));
}

async function list({ data, vnf, json }: ListOptions): Promise<void> {
  const opOccs = await listOpOccs(createVnfm(connectionFrom(process.env, data)), vnf);
  print(json ? [JSON.stringify(opOccs, null, 2)] : opOccLines(opOccs));
}

async function controlOperation(
  vnfm: Vnfm,
  opOccId: string,
  { control, watch }: { control: OpOccControl; watch: boolean | undefined },
): Promise<void> {
  await controlOpOcc(vnfm, opOccId, control);
  const what = typeof control === 'string' ? control : `cancel (${control.cancelMode})`;
  print([`${what} accepted: vnflow watch ${opOccId}`]);
  if (watch) process.exitCode = exitCodeOf(await watchOperation(vnfm, opOccId, watchForm(false)));
}

async function steerStep(vnfm: Vnfm, at: { opOccId: string; stepId: string }, control: StepControl): Promise<void> {
  const step = await controlStep(vnfm, at, control);
  print([`${step.id} is ${step.state}${step.note === undefined ? '' : `, ${step.note}`}: vnflow watch ${at.opOccId}`]);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
