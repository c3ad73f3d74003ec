import { parseArgs } from 'node:util';
import type { SimulatorOptions } from './composition.ts';
import { startSimulator } from './simulator.ts';

const OPTIONS = {
  directory: { type: 'string' },
  port: { type: 'string' },
  'bastion-port': { type: 'string' },
  speed: { type: 'string' },
  'vnfm-url': { type: 'string' },
  seed: { type: 'string' },
  'network-cidr': { type: 'string' },
  'public-cidr': { type: 'string' },
  hosts: { type: 'string' },
  'token-lifetime': { type: 'string' },
} as const;

/** The options of the program, for its help. */
export const SIMULATOR_HELP = `
  --directory <dir>           where the world is kept; without it, in memory only
  --port <port>               port of the OpenStack APIs (any free one)
  --bastion-port <port>       port of the bastion (any free one)
  --speed <factor>            simulated seconds per second (1)
  --hosts <number>            compute hosts (6); a world that exists gains hosts and loses none
  --seed <number>             decides ids, addresses and names (1)
  --network-cidr <cidr>       subnet of net0 (10.10.0.0/24)
  --public-cidr <cidr>        floating IPs (172.24.4.0/24)
  --token-lifetime <seconds>  wall-clock seconds that a token lives (3600)
  --vnfm-url <url>            the catalogue's nfv-orchestration endpoint (http://127.0.0.1:9890)
`;

type Values = Partial<Record<keyof typeof OPTIONS, string>>;

/**
 * Runs the simulator in this process until SIGTERM or SIGINT. It prints one line of JSON when it is ready. A defect
 * ends the process with code 70.
 * @param args the options of the command line
 * @throws Error when an option is unknown, a value is no number, or a port is taken
 */
export async function runSimulator(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, endAtOnce);
  const simulator = await startSimulator(readOptions(values));
  const { authUrl, url, bastion, proxyUrl } = simulator;
  process.stdout.write(`${JSON.stringify({ ready: true, authUrl, url, bastion, proxyUrl, pid: process.pid })}\n`);

  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      simulator.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`simulator: could not stop cleanly: ${error}\n`);
          process.exit(1);
        },
      );
    });
  }
}

/** A simulator in an unknown state must not go on. The world on the disk is as of the last change that it accepted. */
function endAtOnce(error: unknown): never {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const entry = { level: 60, time: Date.now(), pid: process.pid, err: { type: name, message, stack } };
  process.stderr.write(`${JSON.stringify({ ...entry, msg: 'a defect ends the simulator' })}\n`);
  process.exit(70);
}

function readOptions(values: Values): SimulatorOptions {
  const number = (name: keyof SimulatorOptions, option: keyof Values, least: number): SimulatorOptions => {
    const text = values[option];
    if (text === undefined) return {};
    const value = Number(text);
    if (!(value >= least)) throw new Error(`--${option} ${text}: a number of at least ${least} is needed`);
    return { [name]: value };
  };
  return {
    ...number('port', 'port', 0),
    ...number('bastionPort', 'bastion-port', 0),
    ...number('speed', 'speed', 0.001),
    ...number('seed', 'seed', 0),
    ...number('hosts', 'hosts', 1),
    ...number('tokenLifetime', 'token-lifetime', 1),
    ...(values.directory === undefined ? {} : { directory: values.directory }),
    ...(values['vnfm-url'] === undefined ? {} : { vnfmUrl: values['vnfm-url'] }),
    ...(values['network-cidr'] === undefined ? {} : { networkCidr: values['network-cidr'] }),
    ...(values['public-cidr'] === undefined ? {} : { publicCidr: values['public-cidr'] }),
  };
}
