import { sql } from 'kysely';
import type { ApiContext } from '../dependencies.ts';
import type { ApiAnswer } from '../http/endpoint.ts';

const STORE_TIMEOUT_MS = 2_000;

/** Says whether the API can answer. It needs no token, so its answer contains nothing else. */
export async function health({ db, notReady }: ApiContext): Promise<ApiAnswer> {
  const problem = notReady?.();
  if (problem) return { status: 503, json: { status: problem.message } };
  const late = AbortSignal.timeout(STORE_TIMEOUT_MS);
  const expired = new Promise<boolean>((resolve) => late.addEventListener('abort', () => resolve(false)));
  const asked = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  const store = await Promise.race([asked, expired]);
  return { status: store ? 200 : 503, json: { status: store ? 'ok' : 'store not reachable' } };
}
