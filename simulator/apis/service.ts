import type { Session } from '../world/cloud/cloud-state.ts';
import type { Json } from '../world/cloud/json.ts';
import type { Refusal } from '../world/cloud/refusal.ts';

/** A request as a service's handler sees it: authenticated, body parsed. */
export interface Call {
  readonly method: string;
  /** Path inside the service, without query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Json | undefined;
  readonly bodyBytes: number;
  readonly session: Session;
  /** The raw body of an upload; undefined for all other routes. */
  readonly upload: AsyncIterable<Buffer> | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: Json;
  /** Instead of a JSON body: HTML. */
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The authentication in front of the service answered: none of the service's own headers. */
  readonly isFromGate?: true;
}

export interface Route {
  readonly method: string;
  /** Express path, relative to the service's mount. */
  readonly path: string;
  /** `none`: no token needed. */
  readonly auth?: 'none';
  /** `upload`: the body is a stream of bytes, not JSON. */
  readonly payload?: 'upload';
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** One OpenStack service on the common server. */
export interface Service {
  /** The name in the ledger and in faults: keystone, heat, nova, neutron, glance, cinder. */
  readonly name: string;
  /** The first path segment, for example `/identity`. */
  readonly mount: string;
  readonly routes: readonly Route[];
  /** The error in the service's own form. */
  readonly refuse: (refusal: Refusal, call: Pick<Call, 'path'>) => Answer;
  /** What an unknown URL gets. */
  readonly unknownUrl: (path: string) => Answer;
  /** Headers of each answer. */
  readonly headers?: (requestId: string, call: Pick<Call, 'headers'>) => Readonly<Record<string, string>>;
}

export function route(method: string, path: string, handle: Route['handle']): Route {
  return { method, path, handle };
}
