import type { Kysely } from 'kysely';
import * as first from './migrations/0001-first.ts';
import * as kubernetesVim from './migrations/0002-kubernetes-vim.ts';
import * as clusterBackups from './migrations/0003-cluster-backups.ts';
import * as operatorControls from './migrations/0004-operator-controls.ts';
import * as stepAttempts from './migrations/0005-step-attempts.ts';
import * as takeOver from './migrations/0006-take-over.ts';
import * as packageUploads from './migrations/0007-package-uploads.ts';
import * as changedInfo from './migrations/0008-changed-info.ts';
import * as stepProgress from './migrations/0009-step-progress.ts';
import * as largeFiles from './migrations/0010-large-files.ts';
import * as registryCopies from './migrations/0011-registry-copies.ts';
import * as audit from './migrations/0012-audit.ts';
import * as builds from './migrations/0013-builds.ts';
import * as stepLogs from './migrations/0014-step-logs.ts';
import * as keyIds from './migrations/0015-key-ids.ts';
import * as traceparent from './migrations/0016-traceparent.ts';
import * as storeId from './migrations/0017-store-id.ts';

export interface Migration {
  /** Its number of four digits, and a name: the name of its file. The numbers are 1, 2, 3, … without a gap. */
  readonly name: string;
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * True when a build that does not have this migration cannot work with the schema after it. Such a build refuses to
   * start then. Undefined for an addition, which leaves everything that older builds read and write as it is.
   */
  readonly endsOlderBuilds?: boolean;
}

/** All migrations, in the order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first', ...first },
  { name: '0002-kubernetes-vim', ...kubernetesVim },
  { name: '0003-cluster-backups', ...clusterBackups },
  { name: '0004-operator-controls', ...operatorControls },
  { name: '0005-step-attempts', ...stepAttempts },
  { name: '0006-take-over', ...takeOver },
  { name: '0007-package-uploads', ...packageUploads },
  { name: '0008-changed-info', ...changedInfo },
  { name: '0009-step-progress', ...stepProgress },
  { name: '0010-large-files', ...largeFiles },
  { name: '0011-registry-copies', ...registryCopies },
  { name: '0012-audit', ...audit },
  { name: '0013-builds', ...builds },
  { name: '0014-step-logs', ...stepLogs },
  { name: '0015-key-ids', ...keyIds },
  { name: '0016-traceparent', ...traceparent },
  { name: '0017-store-id', ...storeId },
];

/**
 * Migrations had names with dates before they had numbers. The first name is migration 1, and so on. Stores of that
 * time have these names in the table `kysely_migration`, which stays as it is, so that a build of that time can go on.
 */
export const NAMES_BEFORE_NUMBERS: readonly string[] = [
  '2026-11-21-first',
  '2026-11-21-kubernetes-vim',
  '2026-11-22-cluster-backups',
  '2026-11-22-operator-controls',
  '2026-11-22-step-attempts',
  '2026-11-23-take-over',
  '2026-11-24-package-uploads',
  '2026-11-25-changed-info',
];
