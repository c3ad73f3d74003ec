import type { Plan } from '../operation/plan.ts';
import type { InsideServers } from './inside-servers.ts';
import { PlanDrawing } from './plan-drawing.ts';

/** A change that concerns what is inside the servers. */
interface Reconfiguration {
  readonly inside: Pick<InsideServers, 'reconfigure'>;
  /** Slots of the servers that are there. */
  readonly slots: readonly string[];
}

/**
 * The end of the operation writes the change. Nothing else is done, unless the change concerns what is inside the
 * servers: then they are changed first, and a rollback changes them back.
 */
export function planModifyInfo(direction: Plan['direction'], change?: Reconfiguration): Plan {
  const drawing = new PlanDrawing();
  change?.inside.reconfigure(drawing, change.slots, direction);
  return drawing.plan('MODIFY_INFO', direction, { rollbackSupported: true });
}
