import type { ApiAnswer } from '../http/endpoint.ts';
import type { Readiness } from './checks.ts';

/**
 * Says whether the API can answer requests that only read: it needs the store for that, and nothing else. What else is
 * missing is named, and the status is `degraded` then.
 */
export function showHealth({ ready, checks }: Readiness): ApiAnswer {
  const store = checks.find(({ name }) => name === 'store');
  if (store?.ok === false) return { status: 503, json: { status: store.problem, checks } };
  return { status: 200, json: { status: ready ? 'ok' : 'degraded', checks } };
}

/** Says whether everything is there that operations need. */
export function showReadiness({ ready, checks }: Readiness): ApiAnswer {
  return { status: ready ? 200 : 503, json: { status: ready ? 'ready' : 'not ready', checks } };
}
