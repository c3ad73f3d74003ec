import path from 'node:path';
import { temporalBinary } from '../../worker/temporal-binary.ts';
import { isTemporalServing, startTemporalServer, TEMPORAL_PORTS } from '../../worker/temporal-server.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';
import type { TemporalRecord } from './up-record.ts';

/**
 * The Temporal server to work with: the one of TEMPORAL_ADDRESS, the one that an earlier `up` left running, or a new one.
 * @param before what `up.json` says
 * @throws Error when none can be had
 */
export async function obtainTemporal(
  data: string,
  before: TemporalRecord | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<{ record: TemporalRecord; how: 'given' | 'adopted' | 'started' }> {
  const given = environment['TEMPORAL_ADDRESS'];
  if (given && given !== environment['VNFLOW_OWN_TEMPORAL']) {
    if (!(await isTemporalServing(given, 10_000)))
      throw new Error(`No Temporal server serves at TEMPORAL_ADDRESS=${given}.`);
    return { record: { address: given }, how: 'given' };
  }
  if (before?.process && isAlive(before.process)) {
    if (await isTemporalServing(before.address, 5_000)) return { record: before, how: 'adopted' };
    await stopProcess(before.process);
  }
  const server = await startTemporalServer({
    binary: temporalBinary(environment),
    directory: path.join(data, 'temporal'),
    ports: before
      ? { ...TEMPORAL_PORTS, grpc: portOf(before.address), ui: portOf(before.uiUrl ?? '') }
      : TEMPORAL_PORTS,
  });
  const identity = identityOf(server.pid);
  return {
    record: { address: server.address, uiUrl: server.uiUrl, ...(identity ? { process: identity } : {}) },
    how: 'started',
  };
}

function portOf(address: string): number {
  return Number(/:(\d+)\/?$/.exec(address)?.[1] ?? 0);
}
