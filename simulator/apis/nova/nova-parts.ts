import type { Hypervisor } from '../../kernel/machine.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import type { NetworkStore } from '../../world/cloud/neutron/network-store.ts';
import type { ComputeStore } from '../../world/cloud/nova/compute-store.ts';
import type { ServerViews } from '../../world/cloud/nova/views.ts';
import { Refusal } from '../../world/cloud/refusal.ts';
import type { Call } from '../service.ts';

export const NEWEST = 90;

export interface NovaParts {
  readonly foundation: Foundation;
  readonly network: NetworkStore;
  readonly compute: ComputeStore;
  readonly machines: () => Hypervisor;
  readonly views: ServerViews;
}

export function minorOf({ headers }: Pick<Call, 'headers'>): number {
  const asked = String(headers['openstack-api-version'] ?? '').match(/compute (2\.\d+|latest)/)?.[1];
  const wanted = asked ?? String(headers['x-openstack-nova-api-version'] ?? '2.1');
  return wanted === 'latest' ? NEWEST : Math.min(NEWEST, Number(wanted.split('.')[1] ?? 1) || 1);
}

/** Checks that the caller is an admin. @throws Refusal 403 */
export function adminOnly({ session }: Pick<Call, 'session'>): void {
  if (!session.admin) {
    const message = "Policy doesn't allow this action to be performed.";
    throw new Refusal(403, 'forbidden', message);
  }
}
