import path from 'node:path';
import type { Durability } from '../../worker/configuration.ts';
import { temporalBinary } from '../../worker/temporal-binary.ts';
import { isTemporalServing, startTemporalServer, TEMPORAL_PORTS } from '../../worker/temporal-server.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';
import type { TemporalRecord } from './up-record.ts';

export interface TemporalOptions {
  readonly data: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly durability: Durability;
  /** Told what is to be written down, already when the process was launched. */
  readonly keep: (record: TemporalRecord) => void;
}

/**
 * The Temporal server to work with: the one of TEMPORAL_ADDRESS, the one that an earlier `up` left running, or a new one.
 * @param before what `up.json` says
 * @throws Error when none can be had
 */
export async function obtainTemporal(
  options: TemporalOptions,
  before: TemporalRecord | undefined,
): Promise<{ record: TemporalRecord; how: 'given' | 'adopted' | 'started' }> {
  const { environment, durability } = options;
  const given = environment['TEMPORAL_ADDRESS'];
  if (given && given !== environment['VNFLOW_OWN_TEMPORAL']) {
    if (!(await isTemporalServing(given, 10_000)))
      throw new Error(`No Temporal server serves at TEMPORAL_ADDRESS=${given}.`);
    options.keep({ address: given });
    return { record: { address: given }, how: 'given' };
  }
  if (before?.process && isAlive(before.process)) {
    if (before.durability === durability && (await isTemporalServing(before.address, 5_000)))
      return { record: before, how: 'adopted' };
    await stopProcess(before.process);
  }
  return { record: await launchTemporal(options, before, false), how: 'started' };
}

/**
 * The same server again: clients know its address.
 * @throws Error when it does not start, or another one has its port
 */
export async function restartTemporal(options: TemporalOptions, before: TemporalRecord): Promise<void> {
  await launchTemporal(options, before, true);
}

async function launchTemporal(
  { data, environment, durability, keep }: TemporalOptions,
  before: TemporalRecord | undefined,
  keepAddress: boolean,
): Promise<TemporalRecord> {
  const ports = before
    ? { ...TEMPORAL_PORTS, grpc: portOf(before.address), ui: portOf(before.uiUrl ?? '') }
    : TEMPORAL_PORTS;
  const server = await startTemporalServer({
    binary: temporalBinary(environment),
    directory: path.join(data, 'temporal'),
    ports,
    keepAddress,
    durability,
    launched: (pid) => {
      // its addresses are known when it serves; until then those of the last time stand there
      const identity = identityOf(pid);
      if (identity) keep({ address: `127.0.0.1:${ports.grpc}`, ...before, process: identity, durability });
    },
  });
  const identity = identityOf(server.pid);
  const record = {
    address: server.address,
    durability,
    ...(server.uiUrl ? { uiUrl: server.uiUrl } : {}),
    ...(identity ? { process: identity } : {}),
  };
  keep(record);
  return record;
}

function portOf(address: string): number {
  return Number(/:(\d+)\/?$/.exec(address)?.[1] ?? 0);
}
