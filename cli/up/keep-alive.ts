import { setTimeout as delay } from 'node:timers/promises';
import { countDeaths, STEADY_MS } from '../../worker/growing-pauses.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

const LOOK_MS = 250;

/** A process that `vnflow up` started and needs. */
export interface KeptPart {
  readonly name: string;
  /** Path of its log. */
  readonly log: string;
  /** The process that runs. Undefined: vnflow did not start it. */
  identity(): ProcessIdentity | undefined;
  /** Restarts the part with its former addresses and data. @throws Error when it does not start */
  restart(): Promise<void>;
}

export interface KeptAlive {
  /** Rejects when a part cannot be kept alive. */
  readonly died: Promise<never>;
  /** Ends the restarts. Resolves when no restart is under way any more. */
  end(): Promise<void>;
}

/**
 * Restarts parts that died, after growing pauses. API and worker wait for them meanwhile, and operations go on.
 * @param say prints a line about each event
 */
export function keepAlive(
  parts: readonly KeptPart[],
  say: (line: string) => void,
  newDeaths: typeof countDeaths = countDeaths,
): KeptAlive {
  const ended = new AbortController();
  const died = Promise.withResolvers<never>();
  died.promise.catch(() => {}); // the caller awaits it later
  const loops = parts.map((part) =>
    keepPart(part, { say, signal: ended.signal, deaths: newDeaths() }).catch(died.reject),
  );
  return {
    died: died.promise,
    end: async () => {
      ended.abort();
      await Promise.all(loops);
    },
  };
}

interface Keeping {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly deaths: ReturnType<typeof countDeaths>;
}

/** Watches one part. @throws Error when the part died too often in a row */
async function keepPart(part: KeptPart, { say, signal, deaths }: Keeping): Promise<void> {
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  let livedMs = STEADY_MS; // the part was up before the watch began
  let reason = '';
  for (let since = Date.now(); !signal.aborted; since = Date.now()) {
    while (!signal.aborted && isRunning(part)) await pause(LOOK_MS);
    if (signal.aborted) return;
    livedMs += Date.now() - since;
    const pauseMs = deaths.next(livedMs);
    if (pauseMs === undefined) {
      throw new Error(`The ${part.name} ended again and again and is given up: see ${part.log}${reason}`);
    }
    say(`The ${part.name} ended unexpectedly (see ${part.log}); it is started again in ${pauseMs / 1000} s`);
    await pause(pauseMs);
    if (signal.aborted) return;
    livedMs = 0;
    try {
      await part.restart();
      say(`The ${part.name} runs again`);
    } catch (error) {
      reason = `: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

function isRunning(part: KeptPart): boolean {
  const identity = part.identity();
  return identity === undefined || isAlive(identity);
}
