import { InvalidArgumentError, Option } from 'commander';
import type { Durability } from '../../worker/configuration.ts';

export const DEFAULT_DATA = '.vnflow/data';

/** How a person may name an operation. */
export const OPERATION_WORDS =
  'id of the operation, the beginning of it (4 characters), name or id of an instance for its newest one, or @last';
/** How a person may name an instance. */
export const INSTANCE_WORDS = 'name or id of the VNF instance, or the beginning of its id (4 characters)';

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory of `vnflow up`').default(DEFAULT_DATA);
}

export function portOption(): Option {
  return new Option('--port <port>', 'port of the API (9890, or another one if that is taken)').argParser(parsePort);
}

export function temporalPortOption(): Option {
  return new Option(
    '--temporal-port <port>',
    'gRPC port of the Temporal server (17233, or another one if that is taken)',
  ).argParser(parsePort);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidArgumentError('A port is a number from 0 (any) to 65535.');
}

export function speedOption(): Option {
  return new Option('--speed <factor>', 'simulated seconds per real second').argParser((text) => {
    const speed = Number(text);
    if (speed >= 0.01 && speed <= 1_000) return speed;
    throw new InvalidArgumentError('A speed is a number from 0.01 to 1000; 1 is real time.');
  });
}

export function hostsOption(): Option {
  return new Option(
    '--hosts <number>',
    'compute hosts of the simulated OpenStack (6; an existing cloud gains hosts, and loses none)',
  ).argParser((text) => {
    const hosts = Number(text);
    if (Number.isInteger(hosts) && hosts >= 1 && hosts <= 1_000) return hosts;
    throw new InvalidArgumentError('A number of hosts is from 1 to 1000.');
  });
}

const DURABILITIES: readonly Durability[] = ['process', 'power'];

/** The option for what the embedded store and the Temporal server of `up` survive. */
export function durabilityOption(standard: Durability): Option {
  return new Option(
    '--durability <what>',
    'power: data survives a power cut; process: faster, but data survives only the death of processes',
  )
    .choices(DURABILITIES)
    .env('VNFLOW_DURABILITY')
    .default(standard);
}
