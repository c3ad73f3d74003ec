/** Parts that run until they are stopped. */
interface Runs {
  /** Rejects when a part has died for good. */
  readonly stopped: Promise<void>;
  /** Stops the parts within a limit of time. @returns a sentence for each part that did not end cleanly */
  stop(): Promise<readonly string[]>;
}

interface EndOptions {
  /** Resolves when the parts must stop. Rejects when the work for which they ran has failed. */
  readonly requested: Promise<void>;
  /** Called before the stop. */
  readonly stopping: () => void;
  /** Called with the reason of an end without a request, and with each part that did not end cleanly. */
  readonly complain: (problem: string) => void;
}

/** Waits for the end and stops all parts. @returns exit code: not zero when a part died or did not end cleanly */
export async function runToItsEnd(running: Runs, { requested, stopping, complain }: EndOptions): Promise<number> {
  const reason = await Promise.race([requested, running.stopped]).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (reason !== undefined) complain(reason);
  stopping();
  const problems = await running.stop();
  for (const problem of problems) complain(problem);
  return reason === undefined && problems.length === 0 ? 0 : 1;
}
