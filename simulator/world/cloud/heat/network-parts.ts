import type { Foundation } from '../foundation.ts';
import type { Json } from '../json.ts';
import type { NetworkChanges } from '../neutron/changes.ts';
import type { NetworkStore } from '../neutron/network-store.ts';
import { Refusal } from '../refusal.ts';
import { ResourceFailure, type ResourceTask } from './resource-kind.ts';

export interface NetworkParts {
  readonly foundation: Foundation;
  readonly network: NetworkStore;
  readonly changes: NetworkChanges;
}

export function describeFixedProperties(...names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

export function describeLiveProperties(...names: string[]): Record<string, { live: true }> {
  return Object.fromEntries(names.map((name) => [name, { live: true as const }]));
}

/** Runs `work` and turns a refusal of Neutron into a failure of the resource in Heat's words. */
export function failAsResource<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ResourceFailure(
      EXCEPTIONS[error.status] ?? 'BadRequest',
      `${error.message}\nNeutron server returns request_ids: ['req-simulated']`,
    );
  }
}

const EXCEPTIONS: Readonly<Record<number, string>> = { 404: 'NotFound', 409: 'Conflict' };

/** Removes a thing, and retries for a minute while it is in use. */
export async function removeWhenFree(
  { foundation }: NetworkParts,
  task: ResourceTask,
  remove: () => void,
): Promise<void> {
  const giveUp = foundation.clock.elapsed() + 60;
  for (;;) {
    try {
      remove();
      return;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 409 || foundation.clock.elapsed() >= giveUp)
        failAsResource(() => {
          throw error;
        });
      await task.wait(5);
    }
  }
}

export function findNetwork({ network }: NetworkParts, task: ResourceTask, name: Json | undefined): string {
  const found = network.findNetwork(String(name ?? ''), task.stack.projectId);
  if (!found) throw new ResourceFailure('NotFound', `Unable to find network with name or id '${name ?? ''}'`);
  return found.id;
}
