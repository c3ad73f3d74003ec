import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { RecordActivities } from '../domain/activity-contract.ts';
import { HEARTBEAT_TIMEOUT } from './timeouts.ts';

const SHORT = '20 seconds';

/** The store may be away for a while; an operation waits for it. */
export const record = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
});

/** What may fail for other reasons than a store that is away: then an operator has to know, and not after days. */
export const decide = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 8 },
});

/** A quarter of an hour: a store that is away for that long is an operator's business, too. */
export const finish = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: SHORT,
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 90 },
});

/** A remote one on purpose: local activities keep the workflow task open, and the client's 202 would wait for all of them. */
export const nfvo = proxyActivities<Pick<RecordActivities, 'requestGrant'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // Asking changes nothing: a cancel need not wait for the answer.
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
