import { type Chance, createChance } from './chance.ts';

/** Kinds of bursts, by the requests that they consist of. */
export const KINDS = ['instantiate', 'retry', 'rollback', 'fail', 'cancel'] as const;
export type Kind = (typeof KINDS)[number];

/** Parts that can be killed with kill -9. */
export const VICTIMS = ['temporal', 'worker', 'api', 'postgres', 'up', 'simulator', 'none'] as const;
export type Victim = (typeof VICTIMS)[number];

/** Why an instantiate fails. `none`: it succeeds. */
export type Cause = 'none' | 'heat' | 'password';
export type CancelMode = 'GRACEFUL' | 'FORCEFUL';

/** The part of one instance in a burst. */
export interface Part {
  readonly cause: Cause;
  /** True when the cause is removed before the burst. */
  readonly cured: boolean;
  readonly cancelMode: CancelMode;
  /** Counted from the beginning of the burst. */
  readonly sendAfterMs: number;
}

/** The properties of a round that its seed decides. */
export interface Scenario {
  readonly seed: number;
  readonly kind: Kind;
  readonly victim: Victim;
  readonly parts: readonly Part[];
  /** The kill comes `ms` milliseconds after `answers` requests of the burst have been answered. */
  readonly killAfter: { readonly answers: number; readonly ms: number };
  /** How long a server stays down that vnflow does not restart by itself. */
  readonly downMs: number;
}

/**
 * Causes by kind of burst, weighted by their number in the list. Most cause a failure, because whole clusters take much
 * time.
 */
const CAUSES: Readonly<Record<Kind, readonly [Cause, ...Cause[]]>> = {
  instantiate: ['heat', 'heat', 'heat', 'password', 'none'],
  retry: ['heat', 'heat', 'heat', 'password'],
  rollback: ['heat', 'heat', 'heat', 'password'],
  fail: ['heat', 'heat', 'heat', 'password'],
  cancel: ['none'],
};
/** One in this number of retries leads to a whole cluster. */
const CURED_OF = 5;
const SENDING_MS = 300;
const LAST_KILL_MS = 400;

export interface Wish {
  readonly kind?: Kind | undefined;
  readonly victim: Victim;
  readonly operations: number;
  /** True in a shape where vnflow runs at real-time pace: at a wrong password it then waits a minute. */
  readonly isSlow?: boolean;
}

/** Makes the scenario of a seed. @param wish options of the command line; the seed decides the rest */
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
