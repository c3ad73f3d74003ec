/** After this time without a heartbeat a worker process counts as dead. */
export const HEARTBEAT_TIMEOUT = '10 seconds';

/** From this many steps on, heartbeats of all steps at once are most of the work of a Temporal server on two cores. */
const LARGE_PLAN_STEPS = 300;

/**
 * How soon Temporal starts a step again whose worker process is silent. Its cost per heartbeat grows with the number of
 * pending activities, so a large plan sends a third of the heartbeats. History does not contain this value: replay is
 * not affected.
 * @param steps number of steps of the plan
 */
export function stepHeartbeatTimeout(steps: number) {
  return steps < LARGE_PLAN_STEPS ? HEARTBEAT_TIMEOUT : '30 seconds';
}
