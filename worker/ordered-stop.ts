import { setTimeout as delay } from 'node:timers/promises';

/** One thing that is stopped before the next. */
export interface StopStage {
  readonly name: string;
  /** How long it may take; then the next one is stopped all the same. */
  readonly limitMs: number;
  readonly stop: () => Promise<unknown> | unknown;
}

/**
 * Stops one after the other. What fails or hangs holds up none of the others.
 * @returns a sentence for each that did not end cleanly
 */
export async function stopInOrder(stages: readonly StopStage[]): Promise<string[]> {
  const problems: string[] = [];
  for (const stage of stages) {
    const problem = await stopOne(stage);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function stopOne({ name, limitMs, stop }: StopStage): Promise<string | undefined> {
  const settled = new AbortController();
  const late = delay(limitMs, `${name} still runs after ${limitMs / 1000} s`, { signal: settled.signal });
  late.catch(() => {});
  try {
    return await Promise.race([(async () => void (await stop()))(), late]);
  } catch (error) {
    return `${name} did not end cleanly: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    settled.abort();
  }
}
