import type { StepInputOf } from '../../domain/operation/activity-contract.ts';
import { findNodesOfSlots } from '../../store/cluster-nodes.ts';
import { keepOperationFacts } from '../../store/operations.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { mustBeAsPlanned } from '../etcd/control-plane-evidence.ts';
import { fencedServers, seeStopped } from '../stack/fenced-servers.ts';
import type { StepContextOf } from '../step-context.ts';

/** Fences control-plane nodes before a restore: a node that could not be reached may live, and would be a second cluster. */
export async function stopServers(step: StepContextOf<'stopServers'>): Promise<undefined> {
  const { deps, input } = step;
  const { servers, fenced } = await serversToStop(deps, input);
  await mustBeAsPlanned(deps, input, { leaving: fenced, beat: step });
  await seeStopped(deps, input, { servers, beat: step });
}

interface ToStop {
  readonly servers: Readonly<Record<string, string>>;
  /** Slots whose servers this step stops, or an earlier one has stopped. */
  readonly fenced: readonly string[];
}

/** The servers that the slots had when the operation began: their successors are not stopped. */
async function serversToStop(deps: ActivityDependencies, input: StepInputOf<'stopServers'>): Promise<ToStop> {
  const known = await fencedServers(deps, input);
  const missing = input.servers.filter((slot) => !Object.values(known).includes(slot));
  const found = await findNodesOfSlots(deps.db, input.vnfInstanceId, missing);
  const fenced = { ...known, ...Object.fromEntries(found.map(({ serverId, slot }) => [serverId, slot])) };
  await keepOperationFacts(deps.db, input.vnfLcmOpOccId, { fenced });
  const own = Object.entries(fenced).filter(([, slot]) => input.servers.includes(slot));
  return { servers: Object.fromEntries(own), fenced: Object.values(fenced) };
}
