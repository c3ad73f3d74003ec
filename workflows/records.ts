import { proxyActivities } from '@temporalio/workflow';
import type { RecordActivities } from '../domain/operation/activity-contract.ts';
import { RECORD_QUEUE } from './contract.ts';
import { HEARTBEAT_TIMEOUT } from './timeouts.ts';

/** A record is one short transaction. After this time without an answer the worker counts as dead. */
const SHORT = '10 seconds';

/**
 * Records are ordinary activities: a record is in the history before it is in the store. (A local activity takes effect
 * before its task is in the history. A Temporal server that dies in between would leave a store that is ahead for
 * ever.) When the store is away, an operation waits for it.
 */
export const record = proxyActivities<RecordActivities>({
  taskQueue: RECORD_QUEUE,
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/**
 * A plan may fail although the store answers. It is tried a few times only, so that an operator sees the failure soon.
 */
export const decide = proxyActivities<RecordActivities>({
  taskQueue: RECORD_QUEUE,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 8 },
});

/** Tried for a quarter of an hour: an operator must see it when the store is away for longer. */
export const finish = proxyActivities<RecordActivities>({
  taskQueue: RECORD_QUEUE,
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 90 },
});

export const nfvo = proxyActivities<Pick<RecordActivities, 'requestGrant'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // The grant changes nothing: a cancel need not wait for the answer.
  cancellationType: 'TRY_CANCEL',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});

/** The time is long because a node that is down answers nothing: each try ends with the time-out of a connection. */
export const survey = proxyActivities<Pick<RecordActivities, 'surveyControlPlane'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  cancellationType: 'TRY_CANCEL',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});
