import { Context } from '@temporalio/activity';
import { foreignText } from '../../domain/foreign-text.ts';

/** The pause between two heartbeats, as a part of the heartbeat time-out: three of them fit into it. */
const BEAT_PART = 0.3;
/**
 * After this part of the time-out without a heartbeat another attempt may begin soon. It is less than 1, because
 * Temporal counts from the moment at which it received the last heartbeat, which may be one pause before the time that
 * this process remembers.
 */
const LEASE_PART = 0.7;

/** The right of an attempt to change things. It lasts as long as its heartbeats reach Temporal. */
export interface AttemptLease {
  /**
   * Fires when the step is cancelled or timed out, when the worker shuts down, and when another attempt may have begun.
   */
  readonly signal: AbortSignal;
  /** Shown in the Temporal UI with the next heartbeat, and in the timeline of the operation. No secrets. */
  say(text: string): void;
  /**
   * To be called right before anything is changed in the cloud or on a node.
   * @throws Error when there was no heartbeat for so long that another attempt may run: this process was stopped, or
   * starved
   */
  mustHold(): void;
}

/**
 * Sends heartbeats while `work` runs. So Temporal notices a dead worker within seconds, and a worker that only seemed
 * dead stops its attempt when it wakes up.
 */
export async function heartbeating<T>(work: (lease: AttemptLease) => Promise<T>): Promise<T> {
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
        text = foreignText(said);
      },
    });
  } finally {
    clearInterval(timer);
  }
}
