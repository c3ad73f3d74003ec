import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { mustBeAsPlanned } from '../etcd/control-plane-evidence.ts';
import { keepFacts } from '../facts/kept-facts.ts';
import { fenceServers, readFencedServers } from '../stack/fenced-servers.ts';
import type { StepContextOf } from '../step-context.ts';

type Step = StepContextOf<'stopServers'>;

/**
 * Fences control-plane nodes before a restore: a node that could not be reached may live, and would be a second
 * cluster.
 */
export async function stopServers(step: Step): Promise<undefined> {
  const { servers, fenced } = await chooseServers(step);
  await mustBeAsPlanned(step, fenced);
  await fenceServers(step, servers);
}

interface Chosen {
  /** By server id: the slot of each server that this step stops. */
  readonly servers: Readonly<Record<string, string>>;
  /** Slots of the servers that this step or an earlier one stops. */
  readonly fenced: readonly string[];
}

/** Chooses the servers that the slots had when the operation began: their successors are not stopped. */
async function chooseServers(step: Step): Promise<Chosen> {
  const { deps, input } = step;
  const before = await readFencedServers(step);
  const missing = input.servers.filter((slot) => !Object.values(before).includes(slot));
  const found = await findNodesOfSlots(deps.db, input.vnfInstanceId, missing);
  const fenced = { ...before, ...Object.fromEntries(found.map(({ serverId, slot }) => [serverId, slot])) };
  await keepFacts(step, { fenced });
  const own = Object.entries(fenced).filter(([, slot]) => input.servers.includes(slot));
  return { servers: Object.fromEntries(own), fenced: Object.values(fenced) };
}
