import { setTimeout as delay } from 'node:timers/promises';
import { countDeaths, STEADY_MS } from '../../worker/growing-pauses.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

const LOOK_MS = 250;

/** A process that `vnflow up` started and needs. */
export interface KeptPart {
  readonly name: string;
  /** Where its last words are. */
  readonly log: string;
  /** Of the one that runs; none: it is not ours. */
  identity(): ProcessIdentity | undefined;
  /** Starts it again with the same addresses and the same data. @throws Error when it does not start */
  restart(): Promise<void>;
}

export interface KeptAlive {
  /** Rejects when a part cannot be kept alive. */
  readonly died: Promise<never>;
  /** Nothing is started again from now on. Resolves when nothing is being started any more. */
  end(): Promise<void>;
}

/**
 * Starts parts again that died, after growing pauses. API and worker wait for them meanwhile, and operations go on.
 * @param say told what happens
 */
export function keepAlive(
  parts: readonly KeptPart[],
  say: (line: string) => void,
  newDeaths: typeof countDeaths = countDeaths,
): KeptAlive {
  const ended = new AbortController();
  const died = Promise.withResolvers<never>();
  died.promise.catch(() => {}); // whoever cares awaits it
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

/** @throws Error when it died too often in a row */
async function keepPart(part: KeptPart, { say, signal, deaths }: Keeping): Promise<void> {
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  let livedMs = STEADY_MS; // it was up before we began to look
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
