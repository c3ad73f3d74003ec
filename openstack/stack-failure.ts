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
/** The reason that Heat gives for resources that it stopped because another resource failed. */
const COLLATERAL = /aborted|cancell?ed/i;

/**
 * Finds the resource that made a stack fail, and OpenStack's reason: the deepest failed resource. After a rollback the
 * resources do not exist any more, so the events are searched.
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

/**
 * The cause is the oldest failure since the last action on the stack began.
 * @param events newest first
 */
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
