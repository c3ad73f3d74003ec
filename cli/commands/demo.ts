import path from 'node:path';
import { type Command, Option } from 'commander';
import type { Durability } from '../../worker/configuration.ts';
import type { DemoContext } from '../demo/demo-context.ts';
import { addressLines } from '../up/address-table.ts';
import { isAlive } from '../up/process-identity.ts';
import { readUpRecord, type UpRecord } from '../up/up-record.ts';
import { createVnfm } from '../vnfm/client.ts';
import { simulatorUser } from '../vnfm/connection.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { dataOption, durabilityOption, portOption, speedOption } from './options.ts';
import { runToItsEnd } from './run-to-its-end.ts';
import { untilStarted } from './until-started.ts';
import { onStopRequest } from './until-stopped.ts';

/** With this speed the demo takes about a minute. */
const SPEED = 8;

/** The scenarios that show a life from its beginning to its end. */
const LIVES: Readonly<Record<string, () => Promise<(context: DemoContext) => Promise<void>>>> = {
  ha: async () => (await import('../demo/ha-scenario.ts')).showHighAvailability,
  registry: async () => (await import('../demo/registry-scenario.ts')).showPrivateRegistry,
};

interface Options {
  readonly data: string;
  readonly port?: number;
  readonly speed?: number;
  readonly keepSpeed?: boolean;
  readonly exit?: boolean;
  readonly durability: Durability;
  readonly scenario: string;
}

interface Running {
  readonly record: UpRecord & { readonly apiUrl: string };
  readonly stopped: Promise<void>;
  stop(): Promise<readonly string[]>;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('start vnflow as `up` does, and make a Kubernetes cluster from a VNF package')
    .addOption(
      new Option(
        '--scenario <name>',
        'simple: one control-plane node; ha: three, one of which dies and is healed; registry: a private registry and a cluster that pulls from it',
      )
        .choices(['simple', ...Object.keys(LIVES)])
        .default('simple'),
    )
    .option('--exit', 'terminate the cluster and exit at the end; this is the default when output is not a terminal')
    .option('--keep-speed', 'run in real time, or at the speed of the last `up`, instead of the speed of the demo')
    .addOption(speedOption())
    .addOption(durabilityOption('process'))
    .addOption(portOption())
    .addOption(dataOption())
    .action(demo);
}

async function demo(options: Options): Promise<void> {
  const stop = onStopRequest();
  const running = await untilStarted(obtainUp(options), stop);
  process.stdout.write(`\n${addressLines(running.record).join('\n')}\n`);
  let interrupted = false;
  const end = Promise.race([
    stop.requested.then(() => {
      interrupted = true;
    }),
    runScenario(running, options, stop.requested),
  ]);
  const code = await runToItsEnd(running, {
    requested: end,
    stopping: () => process.stdout.write('\n• Stopping\n'),
    complain: (problem) => process.stderr.write(`vnflow: ${problem}\n`),
  });
  process.exit(code === 0 && interrupted && (options.exit || !process.stdout.isTTY) ? 130 : code);
}

async function runScenario({ record }: Running, options: Options, stopRequested: Promise<void>): Promise<void> {
  const { simulator } = record;
  if (!simulator) throw new CliFailure('The demo needs the simulated OpenStack, and this `up` runs without it.');
  const user = simulatorUser(simulator.authUrl);
  const vnfm = createVnfm({ url: record.apiUrl, identity: { user } });
  const context = { vnfm, record, simulator, data: path.resolve(options.data) };
  const stays = !options.exit && process.stdout.isTTY;
  const showLife = await LIVES[options.scenario]?.();
  if (showLife) {
    await showLife(context);
    if (!stays) return;
    process.stdout.write(`\n${STAYS}\n  npx vnflow ops\n`);
    return stopRequested;
  }
  const [{ showInstantiation }, { showTermination }] = await Promise.all([
    import('../demo/simple-scenario.ts'),
    import('../demo/lifecycle.ts'),
  ]);
  const vnfInstanceId = await showInstantiation(context);
  if (!stays) return showTermination(context, vnfInstanceId);
  process.stdout.write(`\n${hintLines(vnfInstanceId).join('\n')}\n`);
  await stopRequested;
}

/** Uses a vnflow that is up already, which then stays up; else starts one. */
async function obtainUp(options: Options): Promise<Running> {
  const record = readUpRecord(path.resolve(options.data));
  if (record?.apiUrl !== undefined && isAlive(record.process)) {
    process.stdout.write('• vnflow is up already: the demo uses it\n');
    return { record: { ...record, apiUrl: record.apiUrl }, stopped: new Promise(() => {}), stop: async () => [] };
  }
  const { startUp } = await import('../up/start-up.ts');
  const speed = options.keepSpeed ? options.speed : (options.speed ?? SPEED);
  return startUp({
    data: options.data,
    simulator: true,
    durability: options.durability,
    environment: process.env,
    say: (line) => process.stdout.write(`• ${line}\n`),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(speed === undefined ? {} : { speed }),
  });
}

const STAYS = `vnflow stays up until Ctrl-C. In another terminal:
  eval "$(npx vnflow env)"`;

function hintLines(vnfInstanceId: string): string[] {
  return [
    STAYS,
    '  npx vnflow ops',
    `  curl -s -H "X-Auth-Token: $VNFM_TOKEN" -H 'Version: 2.0.0' $VNFM_URL/vnflcm/v2/vnf_instances/${vnfInstanceId}`,
    'To terminate it:',
    `  curl -i -X POST -H "X-Auth-Token: $VNFM_TOKEN" -H 'Version: 2.0.0' -H 'Content-Type: application/json' \\`,
    `    -d '{"terminationType": "FORCEFUL"}' $VNFM_URL/vnflcm/v2/vnf_instances/${vnfInstanceId}/terminate`,
  ];
}
