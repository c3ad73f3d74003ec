import type { Plan } from '../operation/plan.ts';
import type { InsideServers } from './inside-servers.ts';
import { PlanDrawing } from './plan-drawing.ts';

/** Which servers come or go. */
export interface ScaleFacts {
  readonly type: 'SCALE_OUT' | 'SCALE_IN';
  readonly vduId: string;
  /** Servers of the VDU before the scale. */
  readonly count: number;
  /** How many servers come or go. */
  readonly by: number;
  /** Slots of the servers that come or go. */
  readonly slots: readonly string[];
}

/**
 * Scale out touches the new servers only. Scale in removes servers, first from what runs in them, then from the
 * stack; never the other way round.
 */
export function planScale(facts: ScaleFacts, inside: InsideServers): Plan {
  const drawing = new PlanDrawing();
  const { slots } = facts;
  const isScaleOut = facts.type === 'SCALE_OUT';
  if (isScaleOut) inside.afterServersAdded(drawing, slots, drawing.growStack(slots));
  else removeServers(drawing, slots, { inside, direction: 'forward' });
  return drawing.plan('SCALE', 'forward', { rollbackSupported: isScaleOut });
}

/** The inverse of a scale out: the servers leave what runs in them, then the stack. */
export function planScaleOutRollback(facts: ScaleFacts, inside: InsideServers): Plan {
  const drawing = new PlanDrawing();
  removeServers(drawing, facts.slots, { inside, direction: 'rollback' });
  return drawing.plan('SCALE', 'rollback', { rollbackSupported: true });
}

function removeServers(
  drawing: PlanDrawing,
  slots: readonly string[],
  { inside, direction }: { readonly inside: InsideServers; readonly direction: Plan['direction'] },
): void {
  const discovered = drawing.shrinkStack(inside.beforeServersRemoved(drawing, slots), slots);
  inside.afterServersRemoved(drawing, slots, { discovered, direction });
}
