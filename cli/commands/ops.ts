import { Command, Option } from 'commander';
import { opOccLines } from '../operations/op-occ-table.ts';
import { stepLines } from '../operations/step-table.ts';
import { exitCodeOf, watchForm, watchOperation } from '../operations/watch.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import { findInstance } from '../vnfm/find-instance.ts';
import { findOperation } from '../vnfm/find-operation.ts';
import {
  controlOpOcc,
  controlStep,
  listOpOccs,
  type OpOccControl,
  type StepControl,
  timelineOf,
} from '../vnfm/operations.ts';
import { dataOption, INSTANCE_WORDS, OPERATION_WORDS } from './options.ts';

/** How a person may name a step. */
const STEP_WORDS = 'id of the step (`vnflow ops steps`)';

/** The states of SOL003. */
const OPERATION_STATES = [
  'STARTING',
  'PROCESSING',
  'COMPLETED',
  'FAILED_TEMP',
  'FAILED',
  'ROLLING_BACK',
  'ROLLED_BACK',
];

const DECISIONS = {
  retry: 'run the failed steps of an operation once more; with --step only one of them',
  rollback: 'undo an operation; it leaves nothing in the cloud',
  fail: 'end an operation as FAILED and leave everything as it is',
} as const;

interface ListOptions {
  readonly data: string;
  readonly vnf?: string;
  readonly state?: readonly string[];
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
    .option('--vnf <instance>', `list only operations of this VNF instance: ${INSTANCE_WORDS}`)
    .addOption(new Option('--state <state...>', 'list only operations in these states').choices([...OPERATION_STATES]))
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .action(list);
  const vnfm = () => createVnfm(connectionFrom(process.env, ops.opts<ListOptions>().data));
  for (const [decision, description] of Object.entries(DECISIONS) as [keyof typeof DECISIONS, string][]) {
    const command = controlCommand(decision, description).action((typed: string, { watch, step }: ControlOptions) =>
      step === undefined
        ? controlOperation(vnfm(), typed, { control: decision, watch })
        : steerStep(vnfm(), { typed, step }, 'retry'),
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
      .action((typed: string, { watch, forceful }: ControlOptions) =>
        controlOperation(vnfm(), typed, { control: { cancelMode: forceful ? 'FORCEFUL' : 'GRACEFUL' }, watch }),
      ),
  );
  addStepCommands(ops, vnfm);
}

function controlCommand(name: string, description: string): Command {
  return new Command(name)
    .argument('<operation>', OPERATION_WORDS)
    .description(description)
    .option('--watch', 'follow the operation afterwards');
}

function addStepCommands(ops: Command, vnfm: () => Vnfm): void {
  ops
    .command('steps')
    .argument('<operation>', OPERATION_WORDS)
    .description('list the steps of an operation by their ids')
    .action(async (typed: string) => {
      const client = vnfm();
      print(stepLines(await timelineOf(client, await findOperation(client, typed))));
    });
  ops
    .command('skip')
    .argument('<operation>', OPERATION_WORDS)
    .argument('<step>', STEP_WORDS)
    .description('skip a step; the steps after it can start')
    .requiredOption('--reason <text>', 'why the step is skipped; shown with the step')
    .action((typed: string, step: string, { reason }: { reason: string }) =>
      steerStep(vnfm(), { typed, step }, { reason }),
    );
  ops
    .command('pause')
    .argument('<operation>', OPERATION_WORDS)
    .argument('<step>', STEP_WORDS)
    .description('do not start a step before it is resumed')
    .action((typed: string, step: string) => steerStep(vnfm(), { typed, step }, 'pause'));
  ops
    .command('resume')
    .argument('<operation>', OPERATION_WORDS)
    .argument('<step>', STEP_WORDS)
    .description('let a paused step start')
    .action((typed: string, step: string) => steerStep(vnfm(), { typed, step }, 'resume'));
}

async function list({ data, vnf, state, json }: ListOptions): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, data));
  const id = vnf === undefined ? undefined : await findInstance(vnfm, vnf);
  const found = await listOpOccs(vnfm, id);
  const opOccs = found.filter(({ operationState }) => state?.includes(operationState) ?? true);
  print(json ? [JSON.stringify(opOccs, null, 2)] : opOccLines(opOccs));
}

async function controlOperation(
  vnfm: Vnfm,
  typed: string,
  { control, watch }: { control: OpOccControl; watch: boolean | undefined },
): Promise<void> {
  const opOccId = await findOperation(vnfm, typed);
  await controlOpOcc(vnfm, opOccId, control);
  const what = typeof control === 'string' ? control : `cancel (${control.cancelMode})`;
  print([`${what} accepted: vnflow watch ${opOccId}`]);
  if (watch) process.exitCode = exitCodeOf(await watchOperation(vnfm, opOccId, watchForm(false)));
}

async function steerStep(vnfm: Vnfm, named: { typed: string; step: string }, control: StepControl): Promise<void> {
  const opOccId = await findOperation(vnfm, named.typed);
  const step = await controlStep(vnfm, { opOccId, stepId: named.step }, control);
  print([`${step.id} is ${step.state}${step.note === undefined ? '' : `, ${step.note}`}: vnflow watch ${opOccId}`]);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
