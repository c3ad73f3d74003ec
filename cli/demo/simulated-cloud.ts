import axios from 'axios';
import { z } from 'zod';
import type { SimulatorRecord } from '../up/up-record.ts';

/** What the demo asks of the simulator itself: to count, to pull the plug, to break something. */

const Fingerprint = z.object({ content: z.object({ stacks: z.array(z.string()), servers: z.array(z.string()) }) });
const Ordered = z.object({ id: z.string() });
const options = { timeout: 5_000, proxy: false } as const;

/** How many stacks and servers the simulated cloud has, by its own account. */
export async function leftInCloud({ url }: SimulatorRecord): Promise<{ stacks: number; servers: number }> {
  const { data } = await axios.get(`${url}/_simulator/fingerprint`, options);
  const { stacks, servers } = Fingerprint.parse(data).content;
  return { stacks: stacks.length, servers: servers.length };
}

/** As if its power supply had failed: nothing on it is told. */
export async function powerOff({ url }: SimulatorRecord, serverId: string): Promise<void> {
  await axios.post(`${url}/_simulator/servers/${encodeURIComponent(serverId)}/power`, { action: 'stop' }, options);
}

/** From now on a command fails on every node. @returns what mends it */
export async function breakCommand(
  { url }: SimulatorRecord,
  failure: { commandPrefix: string; exitCode: number; stderr: string },
): Promise<() => Promise<void>> {
  const { data } = await axios.post(`${url}/_simulator/faults`, { kind: 'command', ...failure }, options);
  const { id } = Ordered.parse(data);
  return async () => {
    await axios.delete(`${url}/_simulator/faults/${encodeURIComponent(id)}`, options);
  };
}
