import { setTimeout as delay } from 'node:timers/promises';

/** One part of a process in the order in which the parts are stopped. */
export interface StopStage {
  readonly name: string;
  /** Limit for the stop of this part. After it, the next part is stopped anyway. */
  readonly limitMs: number;
  readonly stop: () => Promise<unknown> | unknown;
}

/**
 * Stops parts one after the other. When a part fails or hangs, the others are stopped all the same.
 * @returns a sentence for each part that did not end cleanly
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
