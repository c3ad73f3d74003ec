interface Reading {
  readonly answer: Promise<string | undefined>;
  /** Undefined while Nova works on the answer. */
  answeredAt?: number;
}

/** Reads the console of a server: from an answer of Nova that still serves, or from Nova. */
export type ConsoleReader = (
  serverId: string,
  options: {
    /** How long an answer serves, in milliseconds. */
    readonly serveMs: number;
    /** Asks Nova. It must not depend on one attempt: other attempts wait for the answer as well. */
    readonly ask: () => Promise<string | undefined>;
  },
) => Promise<string | undefined>;

/**
 * Makes a reader that spaces the questions to Nova: hundreds of booting servers with a connection attempt every second
 * would keep Nova busy with consoles only. The time counts from an answer, so that an answer of a slow Nova still
 * serves the attempts that waited for it.
 * @param now clock in milliseconds
 */
export function createConsoleReader(now: () => number = Date.now): ConsoleReader {
  const readings = new Map<string, Reading>();
  return (serverId, { serveMs, ask }) => {
    for (const [id, { answeredAt }] of readings) {
      if (answeredAt !== undefined && now() - answeredAt >= serveMs) readings.delete(id);
    }
    const current = readings.get(serverId);
    if (current) return current.answer;
    const reading: Reading = {
      answer: ask().finally(() => {
        reading.answeredAt = now();
      }),
    };
    readings.set(serverId, reading);
    return reading.answer;
  };
}
