/** What runs until somebody asks it to stop. */
interface Runs {
  /** Rejects when a part has died for good. */
  readonly stopped: Promise<void>;
  /** @returns a sentence for each part that did not end cleanly; within a limit */
  stop(): Promise<readonly string[]>;
}

interface EndOptions {
  /** Resolves when it is to stop; rejects when what it ran for has failed. */
  readonly requested: Promise<void>;
  /** Called before it is stopped. */
  readonly stopping: () => void;
  /** Told why it ended by itself, and what did not end cleanly. */
  readonly complain: (problem: string) => void;
}

/** Waits for the end and stops all of it. @returns the exit code: not zero when it ended by itself or something still runs */
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
