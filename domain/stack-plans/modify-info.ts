import { createPlan, type Plan } from '../operation/plan.ts';

/**
 * Nothing is done in the cloud or on a node: the end of the operation writes the change. A rollback has nothing to
 * undo.
 */
export function planModifyInfo(direction: Plan['direction']): Plan {
  return createPlan({ operation: 'MODIFY_INFO', direction, rollbackSupported: true, steps: [] });
}
