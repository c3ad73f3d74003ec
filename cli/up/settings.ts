import type { Durability } from '../../worker/configuration.ts';
import { freePort } from '../../worker/free-port.ts';
import type { SimulatorRecord, UpRecord } from './up-record.ts';

const PORT = 9890;

/**
 * Chooses the port of the API: the port of the command line, else the port of the last run or 9890, else any free port.
 * @throws Error when the port of the command line is taken
 */
export async function apiPort(
  { port, say }: { readonly port?: number; readonly say: (line: string) => void },
  before: UpRecord | undefined,
): Promise<number> {
  if (port === 0) return freePort(0);
  const wanted = port ?? Number(new URL(before?.apiUrl ?? `http://127.0.0.1:${PORT}`).port);
  const free = await freePort(wanted);
  if (free === wanted) return wanted;
  if (port !== undefined) throw new Error(`Port ${port} of 127.0.0.1 is taken. Choose another one with --port.`);
  say(`Port ${wanted} is taken; the API listens on ${free}`);
  return free;
}

/** Builds the environment of API and worker: with the simulator that `up` has started, else unchanged. */
export function environmentOf(
  {
    environment,
    databaseUrl,
    durability,
  }: { readonly environment: NodeJS.ProcessEnv; readonly databaseUrl?: string; readonly durability: Durability },
  simulator: SimulatorRecord | undefined,
): NodeJS.ProcessEnv {
  const { TEMPORAL_ADDRESS: _, ...rest } = environment;
  const keystone = rest['VNFLOW_KEYSTONE_URL'] || rest['OS_AUTH_URL'];
  return {
    ...rest,
    ...(keystone ? { VNFLOW_KEYSTONE_URL: keystone } : {}),
    VNFLOW_DURABILITY: durability,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(simulator ? simulatorEnvironment(simulator) : {}),
  };
}

function simulatorEnvironment({ authUrl, bastion }: SimulatorRecord): NodeJS.ProcessEnv {
  return { VNFLOW_KEYSTONE_URL: authUrl, VNFLOW_BASTION: `${bastion.user}@${bastion.host}:${bastion.port}` };
}
