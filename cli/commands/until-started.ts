import { exitAtOnce } from '../last-resort.ts';
import type { StopRequests } from './until-stopped.ts';

/** 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/** Waits for a start. A request to stop ends the process at once: what has been started goes with it. */
export async function untilStarted<T>(starting: Promise<T>, { requested }: StopRequests): Promise<T> {
  const stopped = requested.then(() => {
    process.stdout.write('\n• Stopped during the start\n');
    return exitAtOnce(INTERRUPTED);
  });
  return Promise.race([starting, stopped]);
}
