import { createHash } from 'node:crypto';

/** Throws numbers from 0 to 99: equal for an equal seed and name. */
export type Dice = () => number;

export function createDice(seed: number, name: string): Dice {
  let throws = 0;
  return () => createHash('sha256').update(`${seed}:${name}:${throws++}`).digest().readUInt32BE() % 100;
}
