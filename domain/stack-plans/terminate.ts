import { createPlan, type Plan, step } from '../operation/plan.ts';
import { DEFAULT_GRACEFUL_TERMINATION_SECONDS, type TerminateVnfRequest } from '../sol-requests.ts';

/** Graceful: waits first, as Tacker does. Forceful: deletes at once. */
export function planTerminate(request: TerminateVnfRequest): Plan {
  const grace =
    request.terminationType === 'GRACEFUL'
      ? [
          step('gracePeriod', [], {
            seconds: request.gracefulTerminationTimeout ?? DEFAULT_GRACEFUL_TERMINATION_SECONDS,
          }),
        ]
      : [];
  const deleteStack = step('deleteStack', grace);
  return createPlan({
    operation: 'TERMINATE',
    direction: 'forward',
    rollbackSupported: false,
    steps: [...grace, deleteStack, step('forgetCluster', [deleteStack])],
  });
}
