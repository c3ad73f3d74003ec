import type { Durability } from '../../worker/configuration.ts';

interface Kept {
  readonly durability: Durability;
  /** Is the store a PostgreSQL of the user's? */
  readonly ownPostgres: boolean;
  /** Is the Temporal server one of the user's? */
  readonly ownTemporal: boolean;
}

const WORDS: Readonly<Record<Durability, string>> = {
  power: 'survives crashes and power cuts: each commit waits for the disk. --durability process is faster',
  process:
    'survives crashes of processes only: a power cut may lose or tear it. --durability power is safe, and so is a PostgreSQL (--database-url)',
};

/** Describes, for the console, which data survives which failures. */
export function durabilityLine({ durability, ownPostgres, ownTemporal }: Kept): string {
  const embedded = [...(ownPostgres ? [] : ['the embedded store']), ...(ownTemporal ? [] : ["Temporal's database"])];
  if (embedded.length === 0) return 'Durability: what your PostgreSQL and your Temporal server promise';
  return `Durability ${durability}: what lies in ${embedded.join(' and ')} ${WORDS[durability]}`;
}
