/** A worker that dies is noticed after this. */
export const HEARTBEAT_TIMEOUT = '10 seconds';
