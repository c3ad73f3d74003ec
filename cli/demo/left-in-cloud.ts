import axios from 'axios';
import { z } from 'zod';
import type { SimulatorRecord } from '../up/up-record.ts';

const Fingerprint = z.object({ content: z.object({ stacks: z.array(z.string()), servers: z.array(z.string()) }) });

/** How many stacks and servers the simulated cloud has, by its own account. */
export async function leftInCloud({ url }: SimulatorRecord): Promise<{ stacks: number; servers: number }> {
  const { data } = await axios.get(`${url}/_simulator/fingerprint`, { timeout: 5_000, proxy: false });
  const { stacks, servers } = Fingerprint.parse(data).content;
  return { stacks: stacks.length, servers: servers.length };
}
