import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ProcessIdentity } from './process-identity.ts';

const TemporalRecord = z.object({
  /** host:port */
  address: z.string(),
  uiUrl: z.string().optional(),
  /** Undefined when vnflow did not start the server (TEMPORAL_ADDRESS). */
  process: ProcessIdentity.optional(),
  /** The options with which it was started. */
  durability: z.enum(['process', 'power']).optional(),
});

const SimulatorRecord = z.object({
  url: z.url(),
  authUrl: z.url(),
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }),
  /** The proxy that the nodes can use, with its login. Undefined in the record of an older release. */
  proxyUrl: z.url().optional(),
  speed: z.number(),
  process: ProcessIdentity,
});

/**
 * The parts that `vnflow up` has started, stored in `DATA/up.json`. `vnflow env` reads it. The next `up` adopts parts
 * that still run after a kill -9, and starts the others with their former ports, because VNF instances in the store
 * contain these addresses.
 */
const UpRecord = z.object({
  /** The process of `vnflow up` itself. */
  process: ProcessIdentity,
  /** Undefined until all parts are ready. */
  apiUrl: z.url().optional(),
  keystoneUrl: z.url().optional(),
  temporal: TemporalRecord.optional(),
  /** A directory with `vnflow`, and with `temporal` when `up` started a server. Undefined in the record of an older release. */
  programs: z.string().optional(),
  /** The host through which nodes of a real cloud are reached. */
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }).optional(),
  simulator: SimulatorRecord.optional(),
  /** A simulator that was launched and is not ready yet. */
  launching: ProcessIdentity.optional(),
});

export type UpRecord = z.infer<typeof UpRecord>;
export type TemporalRecord = z.infer<typeof TemporalRecord>;
export type SimulatorRecord = z.infer<typeof SimulatorRecord>;

/** Reads the record. @param data the data directory @returns undefined when `up` never ran there */
export function readUpRecord(data: string): UpRecord | undefined {
  try {
    return UpRecord.parse(JSON.parse(readFileSync(upFile(data), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the record in one step, so that a reader never sees half a file. */
export function writeUpRecord(data: string, record: UpRecord): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const part = `${upFile(data)}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, upFile(data));
}

function upFile(data: string): string {
  return path.join(data, 'up.json');
}
