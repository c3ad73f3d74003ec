import { type Chance, createChance } from './chance.ts';
import type { CancelMode } from './scenario.ts';
import type { Control, Version } from './vnfm.ts';

/** The VNFs of a run: web servers, a cluster with one or three control-plane nodes, a registry. */
export const FLAVOURS = ['plain', 'cluster', 'ha', 'registry'] as const;
export type Flavour = (typeof FLAVOURS)[number];

/**
 * What is wanted of an instance. `replace-master`: its only or one of its control-plane nodes dies, and is healed.
 * `heal-beside-dead`: one of three dies, and another one is healed. `restore-unreachable`: none of three can be reached
 * for a while, all of them live, and a restore is asked for. Both must be refused.
 */
export const LIFE_ORDERS = [
  'instantiate',
  'scale-out',
  'scale-in',
  'heal',
  'replace-master',
  'heal-beside-dead',
  'restore-unreachable',
  'terminate',
] as const;
export type LifeOrder = (typeof LIFE_ORDERS)[number];

/** One instance of a run, with the orders that it gets, each when the one before has come to rest. */
export interface Life {
  readonly flavour: Flavour;
  readonly version: Version;
  readonly orders: readonly LifeOrder[];
  /** What is done each time when an operation waits in FAILED_TEMP. */
  readonly decisions: readonly Extract<Control, 'retry' | 'rollback' | 'fail'>[];
  readonly waitMs: number;
}

/** All that is done to processes, cloud and nodes. disruptions.ts has the table. */
export const DISRUPTIONS = [
  'kill',
  'stop',
  'host-disk-full',
  'heat-outage',
  'keystone-outage',
  'nova-outage',
  'neutron-outage',
  'cut-connections',
  'lost-answer',
  'revoked-token',
  'slow-cloud',
  'resource-fails',
  'ssh-refused',
  'ssh-hangs',
  'ssh-reset',
  'slow-commands',
  'unreachable',
  'disk-full',
  'command-fails',
  'power-off',
  'reboot',
  'power-cut',
  'server-deleted',
] as const;
export type DisruptionKind = (typeof DISRUPTIONS)[number];

export interface Disruption {
  readonly kind: DisruptionKind;
  /** Counted from the beginning of the run. */
  readonly atMs: number;
  readonly forMs: number;
  /** Chooses the process, or the server. */
  readonly pick: number;
}

/** A control that one of five operators sends to any open operation of the run. */
export interface Meddling {
  readonly operator: number;
  readonly atMs: number;
  readonly control: Control;
  readonly cancelMode: CancelMode;
  readonly version: Version;
  readonly pick: number;
}

export type Shape = 'up' | 'production';

/** All that the seed of a run decides. */
export interface LifeScenario {
  readonly seed: number;
  readonly shape: Shape;
  readonly lives: readonly Life[];
  readonly disruptions: readonly Disruption[];
  readonly meddling: readonly Meddling[];
}

const OPERATORS = 5;
/** Faults begin within this time. */
const CHAOS_MS = 7_000;
/** One fault in this number lasts for long. */
const LONG_OF = 12;

const ORDERS: Readonly<Record<Flavour, readonly [LifeOrder, ...LifeOrder[]]>> = {
  plain: ['scale-out', 'scale-in', 'heal', 'terminate'],
  cluster: ['scale-out', 'scale-in', 'heal', 'replace-master', 'terminate'],
  ha: ['replace-master', 'replace-master', 'heal-beside-dead', 'restore-unreachable', 'scale-out', 'heal'],
  registry: ['heal', 'terminate'],
};

/** The main VNF of a run, weighted by its number in the list: three control-plane nodes take the longest. */
const MAIN: readonly [Flavour, ...Flavour[]] = [
  ...(['cluster', 'cluster', 'cluster', 'plain', 'plain', 'registry', 'registry', 'ha'] as const),
] as [Flavour, ...Flavour[]];

/** One run in four is one of production: there vnflow waits as long as real nodes need. */
const PRODUCTION_OF = 4;

/** Makes the scenario of a seed. @param wish what the command line says; the seed decides the rest */
export function lifeScenarioOf(seed: number, wish: { readonly shape?: Shape | undefined } = {}): LifeScenario {
  const chance = createChance(seed * 7919 + 17);
  const drawn = chance.between(1, PRODUCTION_OF) === 1 ? 'production' : 'up';
  const lives = [lifeOf(chance, chance.pick(MAIN)), ...times(chance.between(0, 2), () => lifeOf(chance, 'plain'))];
  const disruptions = times(chance.between(1, 3), () => disruptionOf(chance)).toSorted((a, b) => a.atMs - b.atMs);
  const meddles = chance.between(1, 4) === 1;
  const meddling = meddles ? times(chance.between(5, 12), () => meddlingOf(chance)) : [];
  return { seed, shape: wish.shape ?? drawn, lives, disruptions, meddling };
}

function lifeOf(chance: Chance, flavour: Flavour): Life {
  const more = times(chance.between(1, flavour === 'plain' ? 2 : 1), () => chance.pick(ORDERS[flavour]));
  return {
    flavour,
    version: chance.pick(['v1', 'v2']),
    orders: ['instantiate', ...more],
    decisions: times(6, () => chance.pick(['retry', 'retry', 'retry', 'retry', 'rollback', 'fail'])),
    waitMs: chance.between(0, 1_500),
  };
}

function disruptionOf(chance: Chance): Disruption {
  const isLong = chance.between(1, LONG_OF) === 1;
  return {
    kind: chance.pick(['kill', 'stop', ...DISRUPTIONS] as [DisruptionKind, ...DisruptionKind[]]),
    atMs: chance.between(0, CHAOS_MS),
    forMs: isLong ? chance.between(10_000, 75_000) : chance.between(300, 5_000),
    pick: chance.between(0, 999),
  };
}

function meddlingOf(chance: Chance): Meddling {
  return {
    operator: chance.between(1, OPERATORS),
    atMs: chance.between(500, CHAOS_MS + 2_000),
    control: chance.pick(['retry', 'rollback', 'fail', 'cancel']),
    cancelMode: chance.pick(['GRACEFUL', 'FORCEFUL']),
    version: chance.pick(['v1', 'v2']),
    pick: chance.between(0, 999),
  };
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
