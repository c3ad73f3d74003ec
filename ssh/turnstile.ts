/** Lets so many in at a time; the others wait in the order in which they came. */
export interface Turnstile {
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurnstile(most: number): Turnstile {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    pass: async (work) => {
      if (inside < most) inside += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve)); // whoever leaves hands over its place
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else inside -= 1;
      }
    },
  };
}
