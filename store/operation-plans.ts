import { z } from 'zod';
import { type Plan, readStep } from '../domain/operation/plan.ts';
import { STEP_KINDS, type StepKind } from '../domain/steps/index.ts';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import { insertPlanSteps } from './operation-steps.ts';

type Direction = Plan['direction'];

const KeptPlan = z.object({
  operation: z.string(),
  direction: z.enum(['forward', 'rollback']),
  rollbackSupported: z.boolean(),
  steps: z.array(
    z
      .looseObject({
        id: z.string(),
        kind: z.enum(Object.keys(STEP_KINDS) as [StepKind, ...StepKind[]]),
        after: z.array(z.string()),
      })
      .transform(readStep),
  ),
});

/**
 * Stores the plan of a direction, and its steps as the ledger of the operation. The first plan stays: an activity that
 * makes the plan a second time gets the stored one.
 * @returns the stored plan
 */
export async function keepPlan(db: Database, vnfLcmOpOccId: string, plan: Plan): Promise<Plan> {
  return db.transaction().execute(async (tx) => {
    await lockOperation(tx, vnfLcmOpOccId);
    const kept = await findPlan(tx, vnfLcmOpOccId, plan.direction);
    if (kept) return kept;
    await tx
      .insertInto('operationPlan')
      .values({ vnfLcmOpOccId, direction: plan.direction, plan: json(plan) })
      .execute();
    await insertPlanSteps(tx, vnfLcmOpOccId, plan);
    return plan;
  });
}

/** Locks the row of the operation, so that two attempts to make its plan run one after the other. */
async function lockOperation(tx: Database, vnfLcmOpOccId: string): Promise<void> {
  await tx.selectFrom('vnfLcmOpOcc').select('id').where('id', '=', vnfLcmOpOccId).forUpdate().executeTakeFirst();
}

/**
 * @returns undefined when no plan of this direction was made.
 * @throws ZodError, TypeError when another release wrote a format that this one does not know
 */
export async function findPlan(db: Database, vnfLcmOpOccId: string, direction: Direction): Promise<Plan | undefined> {
  const row = await db
    .selectFrom('operationPlan')
    .select('plan')
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where('direction', '=', direction)
    .executeTakeFirst();
  return row && KeptPlan.parse(row.plan);
}

/** Begins a plan from its first step: sets every step to WAITING, whatever its state was. */
export async function beginPlan(tx: Database, vnfLcmOpOccId: string, direction: Direction): Promise<void> {
  await tx.updateTable('vnfLcmOpOcc').set({ planDirection: direction }).where('id', '=', vnfLcmOpOccId).execute();
  const steps = (await findPlan(tx, vnfLcmOpOccId, direction))?.steps ?? [];
  if (steps.length === 0) return;
  await tx
    .updateTable('operationStep')
    .set({ state: 'WAITING', endedAt: null, error: null })
    .where('vnfLcmOpOccId', '=', vnfLcmOpOccId)
    .where(
      'stepId',
      'in',
      steps.map(({ id }) => id),
    )
    .where('attempt', '>', 0)
    .execute();
}

/**
 * Deletes the plans of an operation that has ended: no workflow takes it over, and its rows of steps show what was
 * planned.
 */
export async function forgetPlans(tx: Database, vnfLcmOpOccId: string): Promise<void> {
  await tx.deleteFrom('operationPlan').where('vnfLcmOpOccId', '=', vnfLcmOpOccId).execute();
}
