import { type Kysely, sql } from 'kysely';

/**
 * Adds the time when Temporal scheduled the newest attempt of a step. An attempt that was scheduled earlier is refused.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table operation_step add column attempt_scheduled_at timestamptz').execute(db);
}
