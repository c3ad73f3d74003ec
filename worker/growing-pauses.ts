/** Pauses before the restart of a part that died: after its first death, its second death, and so on. */
const PAUSES_MS: readonly number[] = [200, 1_000, 2_000, 5_000, 10_000, 20_000];
/** A part that has run this long counts as healthy: its next death counts as the first one. */
export const STEADY_MS = 60_000;

/** Counts the deaths of a part. */
export interface Deaths {
  /**
   * Counts a death.
   * @param livedMs how long the part ran
   * @returns pause before the restart; undefined after too many deaths in a row
   */
  next(livedMs: number): number | undefined;
}

export function countDeaths(pausesMs = PAUSES_MS, steadyMs = STEADY_MS): Deaths {
  let inARow = 0;
  return {
    next: (livedMs) => {
      inARow = livedMs >= steadyMs ? 1 : inARow + 1;
      return pausesMs[inARow - 1];
    },
  };
}
