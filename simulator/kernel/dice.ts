import { createHash } from 'node:crypto';

/** Returns numbers from 0 to 99. Equal seeds and names give equal sequences. */
export type Dice = () => number;

export function createDice(seed: number, name: string): Dice {
  let throws = 0;
  return () => createHash('sha256').update(`${seed}:${name}:${throws++}`).digest().readUInt32BE() % 100;
}
