import { proxyActivities } from '@temporalio/workflow';
import type { RecordActivities } from '../domain/operation/activity-contract.ts';
import { RECORD_QUEUE } from './contract.ts';
import { HEARTBEAT_TIMEOUT } from './timeouts.ts';

/** A record is one short transaction. A worker that dies in it is noticed after this. */
const SHORT = '10 seconds';

/**
 * Records are ordinary activities: what they write is in the history before it is in the store. (A local activity takes effect
 * before its task is in the history. A Temporal server that dies in between leaves a store that is ahead for ever.)
 * The store may be away for a while; an operation waits for it.
 */
export const record = proxyActivities<RecordActivities>({
  taskQueue: RECORD_QUEUE,
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/** Plans may fail for other reasons than a store that is away. Then an operator has to know soon. */
export const decide = proxyActivities<RecordActivities>({
  taskQueue: RECORD_QUEUE,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 8 },
});

/** A quarter of an hour: an operator has to know of a store that is away for longer. */
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

/** A node that is down takes a connection's time-out to tell. */
export const survey = proxyActivities<Pick<RecordActivities, 'surveyControlPlane'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  cancellationType: 'TRY_CANCEL',
  retry: { initialInterval: '1 second', maximumAttempts: 5 },
});
