import type { Plan } from '../operation/plan.ts';
import type { HealedVnfcs } from './healed-vnfcs.ts';
import type { InsideServers } from './inside-servers.ts';
import { PlanDrawing } from './plan-drawing.ts';

/** Replaces servers, or the whole stack. A heal cannot be undone: what it replaces is broken. */
export function planHeal({ slots, recreate }: Pick<HealedVnfcs, 'slots' | 'recreate'>, inside: InsideServers): Plan {
  const drawing = new PlanDrawing();
  if (recreate) {
    const discovered = drawing.recreateStack(inside.beforeStackRecreated(drawing, slots));
    if (inside.afterStackRecreated) inside.afterStackRecreated(drawing, discovered);
    else inside.afterStackCreated(drawing, discovered);
  } else inside.replaceServers(drawing, slots);
  return drawing.plan('HEAL', 'forward', { rollbackSupported: false });
}
