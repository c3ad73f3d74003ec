import { startGround } from './ground.ts';

/**
 * Two places that start at once may choose the same free port: each waits until the one before it serves. One that
 * could not start gets a second chance, because other programs take ports, too.
 */
export function takeTurns(): typeof startGround {
  let last: Promise<unknown> = Promise.resolve();
  return (shape, options) => {
    const start = () => startGround(shape, options);
    const mine = last.then(() =>
      start().catch(() => startGround(shape, { ...options, directory: `${options.directory}-2` })),
    );
    last = mine.catch(() => {});
    return mine;
  };
}
