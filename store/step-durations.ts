import type { StepKind } from '../domain/steps/index.ts';
import { STEP_KINDS } from '../domain/steps/index.ts';
import type { Database } from './open-store.ts';

/** The newest run counts at least a fifth in the mean, so that the mean follows changes. */
const MAX_WEIGHT = 5;

/** Adds the duration of a finished step to the mean duration of its kind. */
export async function learnStepDuration(db: Database, kind: StepKind, seconds: number): Promise<void> {
  await db
    .insertInto('stepDuration')
    .values({ kind, samples: 1, meanSeconds: seconds })
    .onConflict((conflict) =>
      conflict.column('kind').doUpdateSet((eb) => ({
        samples: eb('stepDuration.samples', '+', 1),
        meanSeconds: eb(
          'stepDuration.meanSeconds',
          '+',
          eb(
            eb.parens(eb.val(seconds), '-', eb.ref('stepDuration.meanSeconds')),
            '/',
            eb.fn<number>('least', [eb('stepDuration.samples', '+', 1), eb.val(MAX_WEIGHT)]),
          ),
        ),
      })),
    )
    .execute();
}

/**
 * Expected seconds per kind of step: the measured mean, or else the value in the table of steps.
 * @param speed factor by which a simulated cloud runs faster than the table says
 */
export async function expectedDurations(db: Database, speed = 1): Promise<(kind: StepKind) => number> {
  const rows = await db.selectFrom('stepDuration').selectAll().execute();
  const learned = new Map(rows.map(({ kind, meanSeconds }) => [kind, meanSeconds]));
  return (kind) => learned.get(kind) ?? STEP_KINDS[kind].expectedSeconds / speed;
}
