import type { Quota } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { type JsonObject, objectAt } from '../../world/cloud/json.ts';
import { quotaOf, usageOf } from '../../world/cloud/nova/quotas.ts';
import { type Route, route } from '../service.ts';
import { adminOnly } from './nova-parts.ts';

/** Routes for quotas and their usage. Users read the quota of their own project; an admin sets quotas. */
export function quotaRoutes({ state, changed }: Foundation): Route[] {
  const view = (id: string): JsonObject => ({
    quota_set: { ...quotaOf(state, id), id, key_pairs: 100, metadata_items: 128, server_groups: -1 },
  });
  const path = '/v2.1/os-quota-sets/:project';
  return [
    route('GET', '/v2.1/limits', ({ session: { projectId } }) => {
      const quota = quotaOf(state, projectId);
      const used = usageOf(state, projectId);
      const absolute = {
        maxTotalInstances: quota.instances,
        maxTotalCores: quota.cores,
        maxTotalRAMSize: quota.ram,
        totalInstancesUsed: used.instances,
        totalCoresUsed: used.cores,
        totalRAMUsed: used.ram,
        maxServerMeta: 128,
        maxTotalKeypairs: 100,
      };
      return { status: 200, body: { limits: { rate: [], absolute } } };
    }),
    route('GET', path, ({ params }) => ({ status: 200, body: view(params['project'] ?? '') })),
    route('PUT', path, (call) => {
      adminOnly(call);
      const id = call.params['project'] ?? '';
      const given = objectAt(call.body, 'quota_set');
      const quota: Quota = { ...quotaOf(state, id) };
      for (const kind of ['instances', 'cores', 'ram'] as const) quota[kind] = Number(given[kind] ?? quota[kind]);
      state.quotas = { ...state.quotas, [id]: quota };
      changed();
      return { status: 200, body: view(id) };
    }),
  ];
}
