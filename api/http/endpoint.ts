import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller } from '../auth/authenticate.ts';
import { parseBody } from './json-body.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, after authentication. */
export interface ApiRequest {
  readonly caller: Caller;
  /** Variable parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as JSON. */
  readonly json?: unknown;
  /** The body as bytes, under the Content-Type of `headers`. */
  readonly bytes?: Buffer;
  /** The body as a stream of pieces. */
  readonly stream?: { readonly pieces: AsyncIterable<Uint8Array>; readonly length: number };
}

/** One method of one resource: what it reads, what it does. */
export type Endpoint =
  | { readonly reads: 'nothing'; readonly handle: (request: ApiRequest) => Promise<ApiAnswer> }
  | { readonly reads: 'json'; readonly handle: (request: ApiRequest, body: unknown) => Promise<ApiAnswer> }
  | { readonly reads: 'stream'; readonly handle: (request: ApiRequest, body: Readable) => Promise<ApiAnswer> };

export type Endpoints = Readonly<Partial<Record<Method, Endpoint>>>;

export function withoutBody(handle: (request: ApiRequest) => Promise<ApiAnswer>): Endpoint {
  return { reads: 'nothing', handle };
}

/** @param schema the body is checked against it before `handle` runs */
export function withBody<T>(
  schema: z.ZodType<T>,
  handle: (request: ApiRequest, body: T) => Promise<ApiAnswer>,
): Endpoint {
  return { reads: 'json', handle: (request, body) => handle(request, parseBody(schema, body)) };
}

export function withStream(handle: (request: ApiRequest, body: Readable) => Promise<ApiAnswer>): Endpoint {
  return { reads: 'stream', handle };
}

/** Does a request with this method change something? */
export function accessOf(method: Method): 'read' | 'write' {
  return method === 'GET' ? 'read' : 'write';
}

/** Is it a method that any resource has? */
export function isMethod(text: string): text is Method {
  return text === 'GET' || text === 'POST' || text === 'PUT' || text === 'PATCH' || text === 'DELETE';
}
