import type { Database } from '../store/open-store.ts';
import type { Secrets } from '../store/secrets.ts';

/** The data that a plan is made from. */
export interface PlanningDependencies {
  readonly db: Database;
  readonly secrets: Secrets;
  /** Whether code of packages may run (`VNFLOW_ALLOW_PACKAGE_CODE`). Undefined: it may not. */
  readonly allowPackageCode?: boolean | undefined;
}
