import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ProcessIdentity } from './process-identity.ts';

const TemporalRecord = z.object({
  /** host:port */
  address: z.string(),
  uiUrl: z.string().optional(),
  /** Absent: not ours (TEMPORAL_ADDRESS). */
  process: ProcessIdentity.optional(),
  /** How it was started. */
  durability: z.enum(['process', 'power']).optional(),
});

const SimulatorRecord = z.object({
  url: z.url(),
  authUrl: z.url(),
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }),
  speed: z.number(),
  process: ProcessIdentity,
});

/**
 * What `vnflow up` started, kept in `DATA/up.json`: `vnflow env` reads it, and the next `up` adopts what still runs
 * after a kill -9, or else takes the same ports again (addresses lie in the store of VNF instances).
 */
const UpRecord = z.object({
  /** Of `vnflow up` itself. */
  process: ProcessIdentity,
  /** Present once all is ready. */
  apiUrl: z.url().optional(),
  keystoneUrl: z.url().optional(),
  temporal: TemporalRecord.optional(),
  simulator: SimulatorRecord.optional(),
});

export type UpRecord = z.infer<typeof UpRecord>;
export type TemporalRecord = z.infer<typeof TemporalRecord>;
export type SimulatorRecord = z.infer<typeof SimulatorRecord>;

/** @param data the data directory @returns undefined when nothing was ever started there */
export function readUpRecord(data: string): UpRecord | undefined {
  try {
    return UpRecord.parse(JSON.parse(readFileSync(upFile(data), 'utf8')));
  } catch {
    return undefined;
  }
}

/** All or nothing: a reader never sees half a file. */
export function writeUpRecord(data: string, record: UpRecord): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const part = `${upFile(data)}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, upFile(data));
}

function upFile(data: string): string {
  return path.join(data, 'up.json');
}
