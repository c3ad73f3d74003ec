import type { CloudState, Quota } from '../cloud-state.ts';
import { Refusal } from '../refusal.ts';

const KINDS = ['cores', 'instances', 'ram'] as const;
const UNLIMITED: Quota = { instances: -1, cores: -1, ram: -1 };

export function quotaOf({ quotas }: CloudState, projectId: string): Quota {
  return quotas?.[projectId] ?? UNLIMITED;
}

/** Returns the resources that the servers of a project use. A server counts until its deletion ends. */
export function usageOf({ servers, flavors }: CloudState, projectId: string): Quota {
  const usage: Quota = { instances: 0, cores: 0, ram: 0 };
  for (const server of Object.values(servers)) {
    if (server.projectId !== projectId) continue;
    usage.instances += 1;
    usage.cores += flavors[server.flavorId]?.vcpus ?? 0;
    usage.ram += flavors[server.flavorId]?.ramMb ?? 0;
  }
  return usage;
}

/** Checks that one more server fits into the quota. @throws Refusal 403 with Nova's message */
export function checkQuota(state: CloudState, at: { readonly projectId: string; readonly flavorId: string }): void {
  const flavor = state.flavors[at.flavorId];
  const asked: Quota = { instances: 1, cores: flavor?.vcpus ?? 0, ram: flavor?.ramMb ?? 0 };
  const quota = quotaOf(state, at.projectId);
  const used = usageOf(state, at.projectId);
  const over = KINDS.filter((kind) => quota[kind] >= 0 && used[kind] + asked[kind] > quota[kind]);
  if (over.length === 0) return;
  const list = (of: Quota) => over.map((kind) => of[kind]).join(', ');
  const names = over.join(', ');
  const message = `Quota exceeded for ${names}: Requested ${list(asked)}, but already used ${list(used)} of ${list(quota)} ${names}`;
  throw new Refusal(403, 'forbidden', message);
}
