import type { RecordActivities } from '../../domain/operation/activity-contract.ts';
import type { ActivityContext } from '../activity-context.ts';
import type { AttemptLease } from '../attempt/heartbeating.ts';

/** Activities about an operation as a whole. */
type RecordKind = keyof RecordActivities;

/** The context of the activity with this name. */
export type RecordContext<K extends RecordKind> = ActivityContext<Parameters<RecordActivities[K]>[0]>;

/** The work of an activity about an operation as a whole. It may run twice. */
export type RecordActivity<K extends RecordKind> = (context: RecordContext<K>) => ReturnType<RecordActivities[K]>;

/** The work of such an activity that asks others, and sends heartbeats meanwhile. */
export type QuestionActivity<K extends RecordKind> = (
  context: RecordContext<K> & AttemptLease,
) => ReturnType<RecordActivities[K]>;
