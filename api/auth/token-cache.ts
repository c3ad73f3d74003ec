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

interface Answer {
  /** Milliseconds since 1970; from then on the token is validated again. */
  readonly until: number;
  readonly owner: Promise<TokenOwner | undefined>;
}

/**
 * Validates each token once a minute at most; requests with one token at one time share one validation. Keys are
 * hashes: the cache holds no token. A validation that failed is not kept. The time limit lies in the entry: the cache's
 * own one treats the time 0 as no time, and ends a millisecond late.
 * @param now the present time in milliseconds since 1970
 */
export function cachedValidation(validate: Validate, now: () => number = Date.now): Validate {
  const answers = new LRUCache<string, Answer>({ max: MOST_ENTRIES });
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const known = answers.get(key);
    if (known && known.until > now()) return known.owner;
    const owner = validateNow(validate, token);
    answers.set(key, { until: Number.POSITIVE_INFINITY, owner });
    owner.then(
      (found) => {
        const until = found ? Math.min(now() + VALID_MS, found.expiresAt) : now() + INVALID_MS;
        answers.set(key, { until, owner });
      },
      () => answers.delete(key),
    );
    return owner;
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
