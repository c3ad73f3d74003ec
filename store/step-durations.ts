import type { StepKind } from '../domain/steps/index.ts';
import { STEP_KINDS } from '../domain/steps/index.ts';
import type { Database } from './open-store.ts';

/** How fast the mean forgets: the newest run weighs at least a fifth. */
const MAX_WEIGHT = 5;

/** Learns from a finished step how long its kind takes here. */
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

/** Expected seconds per kind: learned, or else the table's. */
export async function expectedDurations(db: Database): Promise<(kind: StepKind) => number> {
  const rows = await db.selectFrom('stepDuration').selectAll().execute();
  const learned = new Map(rows.map(({ kind, meanSeconds }) => [kind, meanSeconds]));
  return (kind) => learned.get(kind) ?? STEP_KINDS[kind].expectedSeconds;
}
