import {
  listEvents,
  listResources,
  nestedStackOf,
  type StackEvent,
  type StackRef,
  type StackResource,
  stackOf,
} from './heat.ts';
import type { CallOptions, Session } from './session.ts';

export interface StackFailure {
  readonly resource: string;
  readonly reason: string;
}

const FAILED = /^(CREATE|UPDATE|DELETE|ROLLBACK)_FAILED$/;
/** What Heat writes on the resources that it stopped because another one failed. */
const COLLATERAL = /aborted|cancell?ed/i;

/**
 * Which resource made a stack fail, and why: the deepest failed one, in OpenStack's words. After a rollback the resources
 * are gone and only the events know.
 */
export async function failureReason(
  session: Session,
  stack: StackRef,
  options: CallOptions = {},
): Promise<StackFailure | undefined> {
  const resources = await listResources(session, stack, { nestedDepth: 5, ...options });
  const failed = deepestFailed(resources, stack);
  if (failed) return { resource: failed.resource_name, reason: failed.resource_status_reason };
  return firstFailedEvent(await listEvents(session, stack, options), stack);
}

/** @param resources parents first, as Heat lists them */
function deepestFailed(resources: readonly StackResource[], root: StackRef): StackResource | undefined {
  const depthOfStack = new Map([[root.id, 0]]);
  const ranked = resources.map((resource) => {
    const depth = depthOfStack.get(stackOf(resource).id) ?? 0;
    const nested = nestedStackOf(resource);
    if (nested) depthOfStack.set(nested.id, depth + 1);
    return { resource, rank: depth + (COLLATERAL.test(resource.resource_status_reason) ? 0 : 100) };
  });
  return ranked.filter(({ resource }) => FAILED.test(resource.resource_status)).sort((a, b) => b.rank - a.rank)[0]
    ?.resource;
}

/** @param events newest first; the cause is the oldest failure since the last action began, and is no nested stack */
function firstFailedEvent(events: readonly StackEvent[], stack: StackRef): StackFailure | undefined {
  const began = events.findIndex(
    (event) =>
      event.physical_resource_id === stack.id && /^(CREATE|UPDATE|DELETE)_IN_PROGRESS$/.test(event.resource_status),
  );
  const latest = began < 0 ? events : events.slice(0, began);
  const cause = latest.findLast(
    (event) => FAILED.test(event.resource_status) && !COLLATERAL.test(event.resource_status_reason),
  );
  return cause && { resource: cause.resource_name, reason: cause.resource_status_reason };
}
