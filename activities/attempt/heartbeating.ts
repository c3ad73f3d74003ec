import { Context } from '@temporalio/activity';

/** Of the heartbeat time-out: three chances to be heard. */
const BEAT_PART = 0.3;
/** After this part without a heartbeat another attempt may run soon: Temporal may have heard the last one a beat earlier than we think. */
const LEASE_PART = 0.7;

export interface Beat {
  /** Fires when the step is cancelled, timed out, or the worker shuts down; and when it cannot be known that the attempt is still ours. */
  readonly signal: AbortSignal;
  /** Shown in the Temporal UI with the next heartbeat. No secrets. */
  say(text: string): void;
  /**
   * To be called right before anything is changed in the world.
   * @throws Error when there was no heartbeat for so long that another attempt may run: this process was stopped, or starved
   */
  mustHold(): void;
}

/** Heartbeats while `work` runs, so that a dead worker is noticed in seconds, and one that was thought dead stops when it wakes up. */
export async function heartbeating<T>(work: (beat: Beat) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timeout = context.info.heartbeatTimeoutMs || 10_000;
  const lost = new AbortController();
  let text: string | undefined;
  let beaten = Date.now();
  const mustHold = () => {
    const silent = Date.now() - beaten;
    if (silent > timeout * LEASE_PART) lost.abort(new Error(`no heartbeat for ${silent} ms: another attempt may run`));
    lost.signal.throwIfAborted();
  };
  const beat = () => {
    mustHold(); // once the lease is lost, the attempt stays stopped
    beaten = Date.now();
    context.heartbeat(text);
  };
  beat();
  const timer = setInterval(() => {
    try {
      beat();
    } catch {
      clearInterval(timer); // `lost` has stopped the work
    }
  }, timeout * BEAT_PART);
  try {
    return await work({
      signal: AbortSignal.any([context.cancellationSignal, lost.signal]),
      mustHold,
      say: (said) => {
        mustHold();
        text = said;
      },
    });
  } finally {
    clearInterval(timer);
  }
}
