import { Context } from '@temporalio/activity';

/** A third of the shortest heartbeat time-out that a step has. */
const BEAT_MS = 3_000;

export interface Beat {
  /** Fires when the step is cancelled, timed out, or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Shown in the Temporal UI with the next heartbeat. No secrets. */
  say(text: string): void;
}

/** Heartbeats while `work` runs, so that a dead worker is noticed in seconds. */
export async function heartbeating<T>(work: (beat: Beat) => Promise<T>): Promise<T> {
  const context = Context.current();
  let text: string | undefined;
  const beat = () => context.heartbeat(text);
  beat();
  const timer = setInterval(beat, BEAT_MS);
  try {
    return await work({
      signal: context.cancellationSignal,
      say: (said) => {
        text = said;
        beat();
      },
    });
  } finally {
    clearInterval(timer);
  }
}
