import axios from 'axios';
import { z } from 'zod';
import type { SimulatorRecord } from '../up/up-record.ts';

/** Requests of the demo to the simulator itself: count resources, power a server off, break a command. */

const Fingerprint = z.object({ content: z.object({ stacks: z.array(z.string()), servers: z.array(z.string()) }) });
const Ordered = z.object({ id: z.string() });
const options = { timeout: 5_000, proxy: false } as const;

/** Counts the stacks and servers of the simulated cloud. */
export async function leftInCloud({ url }: SimulatorRecord): Promise<{ stacks: number; servers: number }> {
  const { data } = await axios.get(`${url}/_simulator/fingerprint`, options);
  const { stacks, servers } = Fingerprint.parse(data).content;
  return { stacks: stacks.length, servers: servers.length };
}

/** Powers a server off, as a broken power supply does: its processes get no signal. */
export async function powerOff({ url }: SimulatorRecord, serverId: string): Promise<void> {
  await axios.post(`${url}/_simulator/servers/${encodeURIComponent(serverId)}/power`, { action: 'stop' }, options);
}

/** Makes a command fail on every node from now on. @returns a function that ends the fault */
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
