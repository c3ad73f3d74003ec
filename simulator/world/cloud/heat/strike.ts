import type { Resource, Stack, StackAction } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { ResourceFailure } from './resource-kind.ts';
import { type Run, untilAborted } from './run.ts';

/** The resource that a fault may strike. */
interface Target {
  readonly stack: Stack;
  readonly row: Resource;
  readonly run: Run;
}

/**
 * Applies the fault that was ordered for this resource: a delay, an endless wait, or an error.
 * @throws ResourceFailure
 */
export async function strike(
  { faults, clock, latency }: Pick<Foundation, 'faults' | 'clock' | 'latency'>,
  action: StackAction,
  { stack, row, run }: Target,
): Promise<void> {
  const { signal } = run.controller;
  const effect = faults.strikeResource(`${stack.name}/${row.name}`, action);
  if (effect?.stuck) await untilAborted(signal);
  if (effect?.delaySeconds !== undefined) await clock.sleep(effect.delaySeconds, signal);
  if (effect?.resourceFails === undefined) return;
  await clock.sleep(latency.resource, signal);
  throw new ResourceFailure('ResourceInError', effect.resourceFails);
}
