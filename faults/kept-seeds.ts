import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Kept = z.array(
  z.strictObject({
    kind: z.enum(['run', 'round']),
    seed: z.int(),
    shape: z.enum(['up', 'production']),
    /** What it found, and what became of that. */
    found: z.string(),
  }),
);

/** The seeds that have found something. */
export function readKeptSeeds(): z.infer<typeof Kept> {
  return Kept.parse(JSON.parse(readFileSync(new URL('./kept-seeds.json', import.meta.url), 'utf8')));
}
