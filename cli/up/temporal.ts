import path from 'node:path';
import { type Durability, readTemporalNamespace } from '../../worker/configuration.ts';
import { temporalBinary } from '../../worker/temporal-binary.ts';
import { isTemporalServing, startTemporalServer, TEMPORAL_PORTS } from '../../worker/temporal-server.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';
import type { TemporalRecord } from './up-record.ts';

export interface TemporalOptions {
  readonly data: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly durability: Durability;
  /** gRPC port of a server that is started. Undefined: that of the record, or the default. */
  readonly port: number | undefined;
  /** Called with the record to be stored, right after the process was launched. */
  readonly keep: (record: TemporalRecord) => void;
}

/**
 * Provides a Temporal server: the server of TEMPORAL_ADDRESS, a server that an earlier `up` left running, or a new
 * server.
 * @param before the record in `up.json`
 * @throws Error when there is no server and none can be started
 */
export async function obtainTemporal(
  options: TemporalOptions,
  before: TemporalRecord | undefined,
): Promise<{ record: TemporalRecord; how: 'given' | 'adopted' | 'started' }> {
  const { environment, durability } = options;
  const given = environment['TEMPORAL_ADDRESS'];
  if (given && given !== environment['VNFLOW_OWN_TEMPORAL']) {
    const { namespace, access } = readTemporalNamespace(environment);
    if (!(await isTemporalServing(given, 10_000, { namespace, access })))
      throw new Error(`No Temporal server serves the namespace ${namespace} at TEMPORAL_ADDRESS=${given}.`);
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
 * Restarts a server with its former address, which clients use.
 * @throws Error when it does not start, or another process has its port
 */
export async function restartTemporal(options: TemporalOptions, before: TemporalRecord): Promise<void> {
  await launchTemporal(options, before, true);
}

async function launchTemporal(
  { data, environment, durability, port, keep }: TemporalOptions,
  before: TemporalRecord | undefined,
  keepAddress: boolean,
): Promise<TemporalRecord> {
  const former = before ? { grpc: portOf(before.address), ui: portOf(before.uiUrl ?? '') } : {};
  const ports = { ...TEMPORAL_PORTS, ...former, ...(keepAddress || port === undefined ? {} : { grpc: port }) };
  const server = await startTemporalServer({
    binary: temporalBinary(environment),
    directory: path.join(data, 'temporal'),
    ports,
    keepAddress,
    durability,
    launched: (pid) => {
      // the new addresses are known only when the server serves; until then the record keeps the former ones
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
