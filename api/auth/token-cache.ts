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
/**
 * How many unseen tokens of one address Keystone is asked about at once, and how many a second after that. Tokens that
 * turn out valid do not count. Behind a proxy or NAT all clients have one address: so it is slowed, never shut out.
 */
const MOST_UNSEEN = 100;
const UNSEEN_PER_SECOND = 3;
const MOST_ADDRESSES = 10_000;

interface Answer {
  /** Milliseconds since 1970; from then on the token is validated again. */
  readonly until: number;
  readonly owner: Promise<TokenOwner | undefined>;
}

interface ValidAnswer extends Answer {
  /** Milliseconds since 1970: the end of the token itself. */
  readonly expiresAt: number;
}

/** @param address of the client @throws VnflowError TOO_MANY_WRONG_TOKENS, KEYSTONE_UNAVAILABLE */
type ValidateFor = (token: string, address: string) => Promise<TokenOwner | undefined>;

/**
 * Validates each token once a minute at most; requests with one token at one time share one validation. Keys are
 * hashes: the cache holds no token. A validation that failed is not kept. Wrong tokens are kept apart, so that they push
 * no valid one out. Questions about unseen tokens are limited per address; a token that was valid is not unseen until
 * its own end, and is validated again without the limit. The time limit lies in the entry: the cache's own one treats
 * the time 0 as no time, and ends a millisecond late.
 * @param now the present time in milliseconds since 1970
 */
export function cachedValidation(validate: Validate, now: () => number = Date.now): ValidateFor {
  const valid = new LRUCache<string, ValidAnswer>({ max: MOST_ENTRIES });
  const others = new LRUCache<string, Answer>({ max: MOST_ENTRIES });
  const questions = createQuestionLimit(now);
  return (token, address) => {
    const key = createHash('sha256').update(token).digest('base64');
    const before = valid.get(key);
    const known = [before, others.get(key)].find((answer) => answer && answer.until > now());
    if (known) return known.owner;
    const isUnseen = before === undefined || before.expiresAt <= now();
    if (isUnseen) {
      const refusal = questions.take(address);
      if (refusal) return Promise.reject(refusal);
    }
    const giveBack = () => {
      if (isUnseen) questions.giveBack(address);
    };
    const owner = validateNow(validate, token);
    others.set(key, { until: Number.POSITIVE_INFINITY, owner });
    owner.then(
      (found) => {
        if (found) {
          giveBack();
          others.delete(key);
          const { expiresAt } = found;
          valid.set(key, { until: Math.min(now() + VALID_MS, expiresAt), expiresAt, owner });
        } else {
          valid.delete(key);
          others.set(key, { until: now() + INVALID_MS, owner });
        }
      },
      () => {
        giveBack();
        others.delete(key);
      },
    );
    return owner;
  };
}

/**
 * Limits how often Keystone is asked about unseen tokens of one address. A question is counted when it begins: else a
 * thousand requests at one time would all pass before the first answer.
 */
function createQuestionLimit(now: () => number) {
  const budgets = new LRUCache<string, { left: number; at: number }>({ max: MOST_ADDRESSES });
  const leftOf = (address: string) => {
    const { left, at } = budgets.get(address) ?? { left: MOST_UNSEEN, at: now() };
    return Math.min(MOST_UNSEEN, left + ((now() - at) / 1000) * UNSEEN_PER_SECOND);
  };
  return {
    take: (address: string): VnflowError | undefined => {
      const left = leftOf(address);
      if (left >= 1) {
        budgets.set(address, { left: left - 1, at: now() });
        return undefined;
      }
      return new VnflowError('TOO_MANY_WRONG_TOKENS', {
        detail: `So many tokens from ${address} were not valid that vnflow asks Keystone about ${UNSEEN_PER_SECOND} unknown ones a second only.`,
        retryAfterSeconds: Math.max(1, Math.ceil((1 - left) / UNSEEN_PER_SECOND)),
      });
    },
    giveBack: (address: string) => {
      budgets.set(address, { left: Math.min(MOST_UNSEEN, leftOf(address) + 1), at: now() });
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
