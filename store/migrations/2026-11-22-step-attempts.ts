import { type Kysely, sql } from 'kysely';

/** When Temporal scheduled the attempt that a step belongs to: an attempt that comes later than a younger one is refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table operation_step add column attempt_scheduled_at timestamptz').execute(db);
}
