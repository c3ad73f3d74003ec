import { readFileSync } from 'node:fs';
import axios from 'axios';
import { z } from 'zod';

const Entry = z.object({
  seq: z.int(),
  at: z.string(),
  kind: z.string(),
  where: z.string(),
  what: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
/** A line of the simulator's ledger. */
export type LedgerFact = z.infer<typeof Entry>;
const Inspection = z.object({
  machines: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      addresses: z.array(z.string()),
      power: z.string(),
      loadBalancer: z.array(z.string()).optional(),
    }),
  ),
  clusters: z.array(
    z.object({
      endpoint: z.string(),
      nodes: z.array(z.object({ name: z.string(), server: z.string() })),
      members: z.array(
        z.object({
          name: z.string(),
          server: z.string(),
          started: z.boolean(),
          learner: z.boolean(),
          running: z.boolean(),
        }),
      ),
      secrets: z.array(z.string()),
    }),
  ),
});
/** Machines and clusters as they are. */
export type WorldFact = z.infer<typeof Inspection>;
const Fingerprint = z.object({ content: z.record(z.string(), z.array(z.string())) });

/** Access to the simulated world from outside: its ledger, its content, its faults and its power switches. */
export interface World {
  ledger(after: number): Promise<readonly LedgerFact[]>;
  inspect(): Promise<WorldFact>;
  /** Reads a file of a machine. Undefined when the machine or the file does not exist. */
  file(server: string, path: string): Promise<string | undefined>;
  /** All that exists in the cloud, one line each. */
  content(): Promise<ReadonlySet<string>>;
  /** @returns takes the fault away */
  order(fault: object): Promise<() => Promise<void>>;
  power(server: string, action: 'start' | 'stop' | 'reboot' | 'crash'): Promise<void>;
}

/** @param url of the simulator */
export function viewWorld(url: string): World {
  const control = axios.create({ baseURL: `${url}/_simulator`, proxy: false, timeout: 30_000 });
  const get = async (path: string): Promise<unknown> => (await control.get<unknown>(path)).data;
  return {
    ledger: async (after) => z.object({ entries: z.array(Entry) }).parse(await get(`/ledger?after=${after}`)).entries,
    inspect: async () => Inspection.parse(await get('/nodes')),
    file: async (server, path) => {
      const options = { params: { path }, validateStatus: () => true, responseType: 'text' } as const;
      const { status, data } = await control.get<string>(`/servers/${server}/file`, options);
      return status === 200 ? data : undefined;
    },
    content: async () => {
      const { content } = Fingerprint.parse(await get('/fingerprint'));
      return new Set(Object.entries(content).flatMap(([kind, lines]) => lines.map((line) => `${kind}: ${line}`)));
    },
    order: async (fault) => {
      const { id } = z.object({ id: z.string() }).parse((await control.post<unknown>('/faults', fault)).data);
      return async () => void (await control.delete(`/faults/${id}`, { validateStatus: () => true }));
    },
    power: async (server, action) => void (await control.post(`/servers/${server}/power`, { action })),
  };
}

/** Counts the TCP connections of this machine to a port of 127.0.0.1 that are established. */
export function connectionsTo(port: number): number {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to, state]) => to === remote && state === '01').length;
}

const TICKS_PER_SECOND = 100;

/** CPU seconds of this process, and of all processes that it started and that have ended or run. */
export function cpuSeconds(running: readonly number[]): number {
  const ticksOf = (pid: number | 'self', fields: readonly number[]): number => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return fields.reduce((sum, field) => sum + Number(words[field - 3]), 0);
    } catch {
      return 0;
    }
  };
  const all = [14, 15, 16, 17];
  return (
    [ticksOf('self', all), ...running.map((pid) => ticksOf(pid, all))].reduce((a, b) => a + b, 0) / TICKS_PER_SECOND
  );
}
