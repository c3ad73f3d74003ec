import type { Plan, PlanStep } from './plan.ts';

/** Whether a step makes the backup that its plan restores the cluster from. */
export function isSourceOfRestore({ kind, slot }: PlanStep, { steps }: Pick<Plan, 'steps'>): boolean {
  return kind === 'snapshotEtcd' && slot === undefined && steps.some((other) => other.kind === 'restoreControlPlane');
}
