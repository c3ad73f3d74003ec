import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios from 'axios';
import { measureOpenstackCall } from '../metrics/instruments.ts';
import { type Call, createConnectionProblem, createProtocolProblem } from './failures.ts';

export interface TransportOptions {
  /** PEM. Undefined: the CA certificates of the system. */
  readonly caCert?: string;
  /** False accepts any TLS certificate. Default true. */
  readonly verify?: boolean;
}

interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text (JSON) or a stream. */
  readonly data?: string | Readable;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Name of the service in messages. */
  readonly service: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one request. An answer with any HTTP status is returned, not thrown. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Creates a transport. It keeps connections alive, follows no redirect, limits the size of answers, and ignores the
 * proxy variables of the environment. It throws VnflowError VIM_UNREACHABLE or VIM_PROTOCOL, or the signal's reason.
 */
export function createTransport({ caCert, verify = true }: TransportOptions = {}): Transport {
  const client = axios.create({
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 16 }),
    httpsAgent: new HttpsAgent({
      keepAlive: true,
      maxSockets: 16,
      rejectUnauthorized: verify,
      ...(caCert === undefined ? {} : { ca: caCert }),
    }),
    proxy: false,
    maxRedirects: 0,
    maxContentLength: MAX_ANSWER_BYTES,
    maxBodyLength: Number.POSITIVE_INFINITY,
    responseType: 'text',
    transformResponse: (data: unknown) => data,
    transformRequest: (data: unknown) => data,
    validateStatus: () => true,
  });
  return async ({ method, url, headers, data, timeoutMs, signal, service }) => {
    signal?.throwIfAborted();
    const call = describeCall(service, method, url);
    const since = performance.now();
    let status: number | undefined;
    const deadline = AbortSignal.timeout(timeoutMs); // axios' own time-out does not cover a body that arrives slowly
    try {
      const answer = await client.request<unknown>({
        method,
        url,
        headers: { Accept: 'application/json', 'User-Agent': 'vnflow', ...headers },
        ...(data === undefined ? {} : { data }),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      status = answer.status;
      const body = typeof answer.data === 'string' ? answer.data : '';
      return { status: answer.status, headers: plainHeaders(answer.headers), body };
    } catch (error) {
      signal?.throwIfAborted();
      throw deadline.aborted
        ? createConnectionProblem(call, Object.assign(new Error(), { code: 'ETIMEDOUT' }))
        : createTransportProblem(call, error);
    } finally {
      measureOpenstackCall({ service, method, status }, (performance.now() - since) / 1000);
    }
  };
}

function createTransportProblem(call: Call, error: unknown): Error {
  if (axios.isAxiosError(error) && /maxContentLength/.test(error.message)) {
    return createProtocolProblem(call, `an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
  return createConnectionProblem(call, error);
}

/** The call as messages name it: no user info, no query. */
export function describeCall(service: string, method: string, url: string): Call {
  const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: '', pathname: '(not a URL)' };
  return { service, method, url: `${origin}${pathname}` };
}

function plainHeaders(headers: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}
