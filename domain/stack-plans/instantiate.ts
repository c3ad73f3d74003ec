import type { Plan } from '../operation/plan.ts';
import type { InsideServers } from './inside-servers.ts';
import { PlanDrawing } from './plan-drawing.ts';

/** Creates the stack, then what the kind of VNF does in its servers. */
export function planInstantiate(inside: InsideServers): Plan {
  const drawing = new PlanDrawing();
  inside.afterStackCreated(drawing, drawing.createStack());
  return drawing.plan('INSTANTIATE', 'forward', { rollbackSupported: true });
}

/** The inverse: deleting the stack undoes all that instantiate did in the cloud. */
export function planInstantiateRollback(): Plan {
  const drawing = new PlanDrawing();
  drawing.deleteStack();
  return drawing.plan('INSTANTIATE', 'rollback', { rollbackSupported: true });
}
