/** How long to wait before something that died is started again: after the first death, the second, … */
const PAUSES_MS: readonly number[] = [200, 1_000, 2_000, 5_000, 10_000, 20_000];
/** What has run for so long counts as healthy: its next death is a first one. */
export const STEADY_MS = 60_000;

/** Counts deaths. */
export interface Deaths {
  /** @param livedMs how long it ran @returns the pause before the next start; undefined: it died too often in a row */
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
