import { sql } from 'kysely';
import type { Database } from '../../store/open-store.ts';
import type { HealthCheck } from './checks.ts';

/** @param notReady why the store was never reached; undefined once it was */
export function checkStore(db: Database, notReady?: () => Error | undefined): HealthCheck {
  return {
    name: 'store',
    look: async () => {
      const problem = notReady?.();
      if (problem) throw problem;
      await sql`select 1`.execute(db).catch(() => Promise.reject(new Error('store not reachable')));
    },
  };
}
