import { type Chance, createChance } from './chance.ts';

/** What a burst consists of. */
export const KINDS = ['instantiate', 'retry', 'rollback', 'fail', 'cancel'] as const;
export type Kind = (typeof KINDS)[number];

/** What dies by kill -9. */
export const VICTIMS = ['temporal', 'worker', 'api', 'postgres', 'up', 'none'] as const;
export type Victim = (typeof VICTIMS)[number];

/** Why an instantiate fails; `none`: it does not. */
export type Cause = 'none' | 'heat' | 'password';
export type CancelMode = 'GRACEFUL' | 'FORCEFUL';

/** What one instance of a burst goes through. */
export interface Part {
  readonly cause: Cause;
  /** Is the cause taken away before the burst? */
  readonly cured: boolean;
  readonly cancelMode: CancelMode;
  /** From the beginning of the burst. */
  readonly sendAfterMs: number;
}

/** All that a seed decides about a round. */
export interface Scenario {
  readonly seed: number;
  readonly kind: Kind;
  readonly victim: Victim;
  readonly parts: readonly Part[];
  /** The kill comes when so many requests of the burst have been answered, and so long after. */
  readonly killAfter: { readonly answers: number; readonly ms: number };
  /** How long a server stays away that vnflow does not start again by itself. */
  readonly downMs: number;
}

/** Causes by kind of burst, as often as they stand there: whole clusters take the most time. */
const CAUSES: Readonly<Record<Kind, readonly [Cause, ...Cause[]]>> = {
  instantiate: ['heat', 'heat', 'heat', 'password', 'none'],
  retry: ['heat', 'heat', 'heat', 'password'],
  rollback: ['heat', 'heat', 'heat', 'password'],
  fail: ['heat', 'heat', 'heat', 'password'],
  cancel: ['none'],
};
/** One in so many retries leads to a whole cluster. */
const CURED_OF = 5;
const SENDING_MS = 300;
const LAST_KILL_MS = 400;

export interface Wish {
  readonly kind?: Kind | undefined;
  readonly victim: Victim;
  readonly operations: number;
  /** vnflow does not know that the cloud is a fast one: for a wrong password it waits a minute of ours. */
  readonly isSlow?: boolean;
}

/** @param wish what the command line fixed; the seed decides the rest */
export function scenarioOf(seed: number, { kind: wanted, victim, operations, isSlow = false }: Wish): Scenario {
  const chance = createChance(seed);
  const kind = wanted ?? KINDS[seed % KINDS.length] ?? 'instantiate';
  return {
    seed,
    kind,
    victim,
    killAfter: { answers: chance.between(0, operations - 1), ms: chance.between(0, LAST_KILL_MS) },
    downMs: chance.between(0, 2_500),
    parts: Array.from({ length: operations }, () => partOf(chance, kind, isSlow)),
  };
}

function partOf(chance: Chance, kind: Kind, isSlow: boolean): Part {
  const drawn = chance.pick(CAUSES[kind]);
  const cause = isSlow && drawn === 'password' ? 'heat' : drawn;
  return {
    cause,
    cured: cause === 'heat' && kind === 'retry' && chance.between(1, CURED_OF) === 1,
    cancelMode: chance.pick(['GRACEFUL', 'FORCEFUL']),
    sendAfterMs: chance.between(0, SENDING_MS),
  };
}
