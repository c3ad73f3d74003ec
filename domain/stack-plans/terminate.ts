import type { Plan } from '../operation/plan.ts';
import { DEFAULT_GRACEFUL_TERMINATION_SECONDS, type TerminateVnfRequest } from '../sol-requests.ts';
import { PlanDrawing } from './plan-drawing.ts';

/** Plans a terminate. A graceful one waits first, as in Tacker; a forceful one deletes at once. */
export function planTerminate({ terminationType, gracefulTerminationTimeout }: TerminateVnfRequest): Plan {
  const drawing = new PlanDrawing();
  const seconds = gracefulTerminationTimeout ?? DEFAULT_GRACEFUL_TERMINATION_SECONDS;
  drawing.deleteStack(terminationType === 'GRACEFUL' ? [drawing.add('gracePeriod', [], { seconds })] : []);
  return drawing.plan('TERMINATE', 'forward', { rollbackSupported: false });
}
