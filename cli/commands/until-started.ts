import { exitAtOnce } from '../last-resort.ts';
import type { StopRequests } from './until-stopped.ts';

/** 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/**
 * Waits for a start. A request to stop ends the process at once: what has been started goes with it. A request after
 * the start is for the caller.
 */
export async function untilStarted<T>(starting: Promise<T>, { requested }: StopRequests): Promise<T> {
  let isStarting = true;
  void requested.then(() => {
    if (!isStarting) return;
    process.stdout.write('\n• Stopped during the start\n');
    exitAtOnce(INTERRUPTED);
  });
  try {
    return await starting;
  } finally {
    isStarting = false;
  }
}
