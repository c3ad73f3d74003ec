import type { Database } from '../store/open-store.ts';
import type { Secrets } from '../store/secrets.ts';

/** What a plan is made from. */
export interface PlanningDependencies {
  readonly db: Database;
  readonly secrets: Secrets;
}
