import { createHash } from 'node:crypto';

/** Random values that a seed determines: equal calls in equal order give equal values, also after a restart. */
export interface Chance {
  uuid(): string;
  /** 32 hexadecimal digits, the form of Keystone's ids. */
  hex(): string;
  /** The random part of Heat's names: `count` letters of a-z2-7. */
  letters(count: number): string;
  /** A MAC address in the range of OpenStack. */
  mac(): string;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** @param counter the number of values drawn so far; it is part of the state, so that no value repeats */
export function createChance(seed: number, counter: { draws: number }): Chance {
  const digest = () =>
    createHash('sha256')
      .update(`${seed}:${counter.draws++}`)
      .digest();
  return {
    uuid: () => {
      const hex = digest().toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    hex: () => digest().toString('hex').slice(0, 32),
    letters: (count) => [...digest().subarray(0, count)].map((byte) => ALPHABET[byte % 32]).join(''),
    mac: () => `fa:16:3e:${[...digest().subarray(0, 3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`,
  };
}

/** Returns 0 … size-1 in an order that the seed determines. */
export function shuffled(size: number, seed: number): number[] {
  const order = Array.from({ length: size }, (_, i) => i);
  let x = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let i = size - 1; i > 0; i--) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((x / 2 ** 32) * (i + 1));
    const a = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = a;
  }
  return order;
}
