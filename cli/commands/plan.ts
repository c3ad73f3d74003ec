import { readFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import { TASKS } from '../../domain/operations.ts';
import { planLines } from '../operations/plan-text.ts';
import { createVnfm, type Vnfm } from '../vnfm/client.ts';
import { connectionFrom } from '../vnfm/connection.ts';
import type { Plan } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { findInstance } from '../vnfm/find-instance.ts';
import { planOf, planOfVnfd } from '../vnfm/operations.ts';
import { dataOption, INSTANCE_WORDS } from './options.ts';

interface Options {
  readonly data: string;
  readonly vnf?: string;
  readonly vnfd?: string;
  readonly request: string;
  readonly json?: boolean;
  readonly ask: boolean;
  readonly template?: boolean;
}

/** Operation by its word in the CLI. */
const OPERATION_OF = new Map(TASKS.map(([operation, task]) => [task, operation]));

/** Exit code when there is something to do: not a failure, but scripts need to distinguish it. */
const SOMETHING_TO_DO = 2;

export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .description(
      'show what an operation would do, without doing it; exit code 2: there are steps, 0: nothing to do, 1: error',
    )
    .addArgument(new Argument('<operation>').choices([...OPERATION_OF.keys()]))
    .option('--vnf <instance>', INSTANCE_WORDS)
    .option('--vnfd <id>', 'for instantiate: a VNFD, when there is no instance yet')
    .requiredOption('--request <file>', 'file with the body of the request, in JSON')
    .option('--no-ask', 'do not ask the cluster: every control-plane node counts as alive, no pods are listed')
    .option('--template', 'show the Heat templates of the stack, too')
    .option('--json', 'the plan as JSON')
    .addOption(dataOption())
    .action(plan);
}

async function plan(word: string, options: Options): Promise<void> {
  const vnfm = createVnfm(connectionFrom(process.env, options.data));
  const request = await readJson(options.request);
  const vnf = options.vnf === undefined ? {} : { vnf: await findInstance(vnfm, options.vnf) };
  const found = await readPlan(vnfm, word, { ...options, ...vnf, request });
  process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : `${planLines(found).join('\n')}\n`);
  process.exitCode = planExitCode(found);
}

/**
 * The exit code of a plan: 2 when there is something to do, 0 when there is nothing to do.
 * @internal exported for tests
 */
export function planExitCode({ steps }: Pick<Plan, 'steps'>): number {
  return steps.length > 0 ? SOMETHING_TO_DO : 0;
}

async function readPlan(
  vnfm: Vnfm,
  word: string,
  {
    vnf,
    vnfd,
    request,
    ask,
    template = false,
  }: Pick<Options, 'vnf' | 'vnfd' | 'ask' | 'template'> & { request: unknown },
): Promise<Plan> {
  const operation = OPERATION_OF.get(word);
  if (operation === undefined) throw new CliFailure(`${word} is no operation.`);
  const body = { operation, request, live: ask, template };
  if (vnf !== undefined) return planOf(vnfm, vnf, body);
  if (vnfd === undefined || operation !== 'INSTANTIATE') {
    throw new CliFailure(
      `Name the VNF instance with --vnf${operation === 'INSTANTIATE' ? ', or a VNFD with --vnfd' : ''}.`,
    );
  }
  return planOfVnfd(vnfm, vnfd, body);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CliFailure(`${file} cannot be used as a request: ${error instanceof Error ? error.message : error}`);
  }
}
