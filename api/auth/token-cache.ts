import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { VnflowError } from '../../domain/problems.ts';
import type { TokenOwner } from '../dependencies.ts';

type Validate = (token: string) => Promise<TokenOwner | undefined>;

/** Milliseconds until a token is validated again: a revoked token is refused after at most this time. */
const VALID_MS = 60_000;
/** Milliseconds until a refused token is validated again. Short, because a token may be issued after it was tried. */
const INVALID_MS = 5_000;
const MOST_ENTRIES = 10_000;
/** How many wrong tokens an address may send in a minute. Behind a proxy all clients have one address. */
const MOST_WRONG = 100;
const WRONG_FOR_MS = 60_000;
const MOST_ADDRESSES = 10_000;

interface Answer {
  /** Milliseconds since 1970; from then on the token is validated again. */
  readonly until: number;
  readonly owner: Promise<TokenOwner | undefined>;
}

/** @param address of the client @throws VnflowError TOO_MANY_WRONG_TOKENS, KEYSTONE_UNAVAILABLE */
type ValidateFor = (token: string, address: string) => Promise<TokenOwner | undefined>;

/**
 * Validates each token once a minute at most; requests with one token at one time share one validation. Keys are
 * hashes: the cache holds no token. A validation that failed is not kept. Wrong tokens are kept apart, so that they push
 * no valid one out, and limited per address: Keystone is not asked about more of them. The time limit lies in the entry:
 * the cache's own one treats the time 0 as no time, and ends a millisecond late.
 * @param now the present time in milliseconds since 1970
 */
export function cachedValidation(validate: Validate, now: () => number = Date.now): ValidateFor {
  const valid = new LRUCache<string, Answer>({ max: MOST_ENTRIES });
  const others = new LRUCache<string, Answer>({ max: MOST_ENTRIES });
  const wrong = createWrongTokens(now);
  return (token, address) => {
    const key = createHash('sha256').update(token).digest('base64');
    const known = [valid.get(key), others.get(key)].find((answer) => answer && answer.until > now());
    if (known) return known.owner;
    const refusal = wrong.refusalOf(address);
    if (refusal) return Promise.reject(refusal);
    const owner = validateNow(validate, token);
    others.set(key, { until: Number.POSITIVE_INFINITY, owner });
    owner.then(
      (found) => {
        if (found) {
          others.delete(key);
          valid.set(key, { until: Math.min(now() + VALID_MS, found.expiresAt), owner });
        } else {
          wrong.count(address);
          others.set(key, { until: now() + INVALID_MS, owner });
        }
      },
      () => others.delete(key),
    );
    return owner;
  };
}

/** Counts the wrong tokens of each address. */
function createWrongTokens(now: () => number) {
  const counts = new LRUCache<string, { since: number; number: number }>({ max: MOST_ADDRESSES });
  const countOf = (address: string) => {
    const known = counts.get(address);
    return known && now() - known.since < WRONG_FOR_MS ? known : { since: now(), number: 0 };
  };
  return {
    count: (address: string) => {
      const { since, number } = countOf(address);
      counts.set(address, { since, number: number + 1 });
    },
    refusalOf: (address: string): VnflowError | undefined => {
      const { since, number } = countOf(address);
      if (number < MOST_WRONG) return undefined;
      return new VnflowError('TOO_MANY_WRONG_TOKENS', {
        detail: `${MOST_WRONG} tokens from ${address} were not valid within a minute.`,
        retryAfterSeconds: Math.max(1, Math.ceil((since + WRONG_FOR_MS - now()) / 1000)),
      });
    },
  };
}

/** @throws VnflowError KEYSTONE_UNAVAILABLE when Keystone does not say whether the token is valid */
async function validateNow(validate: Validate, token: string): Promise<TokenOwner | undefined> {
  try {
    return await validate(token);
  } catch (error) {
    const why = error instanceof VnflowError ? error.message : 'no usable answer';
    throw new VnflowError('KEYSTONE_UNAVAILABLE', {
      detail: `The token could not be validated: ${why}`,
      retryAfterSeconds: 5,
      cause: error,
    });
  }
}
