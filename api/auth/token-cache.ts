import { createHash } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import type { TokenOwner } from '../dependencies.ts';

type Validate = (token: string) => Promise<TokenOwner | undefined>;

/** A revoked token is refused after at most this time. */
const VALID_MS = 60_000;
/** A wrong token is asked for again after this time: short, because a token may be issued after it was tried. */
const INVALID_MS = 5_000;
const MOST_ENTRIES = 10_000;

/**
 * Asks Keystone once per token and minute; requests with the same token at the same time share one question.
 * Keys are hashes: the cache holds no token. What Keystone could not say is not kept.
 */
export function cachedValidation(validate: Validate, now: () => number = Date.now): Validate {
  const answers = new Map<string, { readonly until: number; readonly owner: Promise<TokenOwner | undefined> }>();
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const known = answers.get(key);
    if (known && known.until > now()) return known.owner;
    const owner = ask(validate, token);
    const keep = (until: number) => {
      answers.delete(key);
      answers.set(key, { until, owner });
    };
    keep(Number.POSITIVE_INFINITY);
    owner.then(
      (found) => keep(found ? Math.min(now() + VALID_MS, found.expiresAt) : now() + INVALID_MS),
      () => answers.delete(key),
    );
    const [oldest] = answers.keys();
    if (answers.size > MOST_ENTRIES && oldest !== undefined) answers.delete(oldest);
    return owner;
  };
}

async function ask(validate: Validate, token: string): Promise<TokenOwner | undefined> {
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
