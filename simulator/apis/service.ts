import type { Session } from '../world/cloud/cloud-state.ts';
import type { Json } from '../world/cloud/json.ts';
import type { Refusal } from '../world/cloud/refusal.ts';

/** A request as the handler of a service receives it: authenticated, with the body parsed. */
export interface Call {
  readonly method: string;
  /** Path below the mount of the service, without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Json | undefined;
  readonly bodyBytes: number;
  readonly session: Session;
  /** The raw body of an upload. Undefined for all other routes. */
  readonly upload: AsyncIterable<Buffer> | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: Json;
  /** An HTML body instead of a JSON body. */
  readonly html?: string;
  /** A body of bytes instead of a JSON body. */
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** True when the authentication middleware answered; the answer then has none of the service's own headers. */
  readonly isFromGate?: true;
}

export interface Route {
  readonly method: string;
  /** Express path below the mount of the service. */
  readonly path: string;
  /** `none`: the route needs no token. */
  readonly auth?: 'none';
  /** `upload`: the body is a stream of bytes, not JSON. */
  readonly payload?: 'upload';
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** One OpenStack service on the common server. */
export interface Service {
  /** The name in the ledger and in faults: keystone, heat, nova, neutron, glance, cinder, swift. */
  readonly name: string;
  /** The first path segment, for example `/identity`. */
  readonly mount: string;
  readonly routes: readonly Route[];
  /** Renders a refusal in the error format of the service. */
  readonly refuse: (refusal: Refusal, call: Pick<Call, 'path'>) => Answer;
  /** Answers a request for an unknown URL. */
  readonly unknownUrl: (path: string) => Answer;
  /** Returns the headers that every answer carries. */
  readonly headers?: (requestId: string, call: Pick<Call, 'headers'>) => Readonly<Record<string, string>>;
}

export function route(method: string, path: string, handle: Route['handle']): Route {
  return { method, path, handle };
}
