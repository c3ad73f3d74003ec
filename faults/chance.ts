/** Pseudo-random numbers: a seed always gives the same sequence. */
export interface Chance {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** Mulberry32 (Tommy Ettinger, public domain): small, and good enough to choose moments. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return { between, pick: (from) => from[between(0, from.length - 1)] ?? from[0] };
}
