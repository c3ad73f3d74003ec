import { readFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import { planLines } from '../operations/plan-text.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import type { Plan } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { planOf, planOfVnfd } from '../vnfm/operations.ts';
import { dataOption } from './options.ts';

interface Options {
  readonly data: string;
  readonly vnf?: string;
  readonly vnfd?: string;
  readonly request: string;
  readonly json?: boolean;
  readonly ask: boolean;
}

const OPERATIONS = { instantiate: 'INSTANTIATE', scale: 'SCALE', heal: 'HEAL', terminate: 'TERMINATE' } as const;
type PlannedOperation = keyof typeof OPERATIONS;

/** There is something to do: not a failure, but scripts want to know. */
const SOMETHING_TO_DO = 2;

export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .description('show what an operation would do, without doing it; exit code 2: something, 0: nothing, 1: an error')
    .addArgument(new Argument('<operation>').choices(Object.keys(OPERATIONS)))
    .option('--vnf <id>', 'the VNF instance')
    .option('--vnfd <id>', 'instantiate: a VNFD, when there is no instance yet')
    .requiredOption('--request <file>', 'body of the request, JSON')
    .option('--no-ask', 'do not ask the cluster: every control-plane node counts as alive, no pods are listed')
    .option('--json', 'the plan as JSON')
    .addOption(dataOption())
    .action(plan);
}

async function plan(operation: PlannedOperation, options: Options): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, options.data));
  const request = await readJson(options.request);
  const found = await planned(vnfm, operation, { ...options, request });
  process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : `${planLines(found).join('\n')}\n`);
  process.exitCode = planExitCode(found);
}

/** 2: there is something to do; 0: there is nothing. */
export function planExitCode({ steps }: Pick<Plan, 'steps'>): number {
  return steps.length > 0 ? SOMETHING_TO_DO : 0;
}

async function planned(
  vnfm: Vnfm,
  operation: PlannedOperation,
  { vnf, vnfd, request, ask }: Pick<Options, 'vnf' | 'vnfd' | 'ask'> & { request: unknown },
): Promise<Plan> {
  const body = { operation: OPERATIONS[operation], request, live: ask };
  if (vnf !== undefined) return planOf(vnfm, vnf, body);
  if (vnfd === undefined || operation !== 'instantiate') {
    throw new CliFailure(
      `Name the VNF instance with --vnf${operation === 'instantiate' ? ', or a VNFD with --vnfd' : ''}.`,
    );
  }
  return planOfVnfd(vnfm, vnfd, request);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CliFailure(`${file} cannot be used as a request: ${error instanceof Error ? error.message : error}`);
  }
}
