import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios from 'axios';
import { VnflowError } from '../domain/problems.ts';
import { measureOpenstackCall } from '../metrics/instruments.ts';
import { createHostRules, type HostRules } from '../network/host-rules.ts';
import { type SpanFacts, traceCall } from '../tracing/spans.ts';
import { type Call, createAddressProblem, createConnectionProblem, createProtocolProblem } from './failures.ts';

export interface TransportOptions {
  /** PEM. Undefined: the CA certificates of Node. */
  readonly caCert?: string | readonly string[];
  /** False accepts any TLS certificate. Default true. */
  readonly verify?: boolean;
  /** Hosts that may be called. Undefined: none on loopback, a link, a metadata service, or this machine. */
  readonly hosts?: HostRules;
}

interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text (JSON) or a stream. */
  readonly data?: string | Readable;
  readonly timeoutMs: number;
  /** A longer answer is refused. Default 1 MiB. Of an answer with an error status, 1 MiB is read at most. */
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
  /** Name of the service in messages. */
  readonly service: string;
  /** True when the body of the answer is bytes and not text. */
  readonly binary?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body of a request with `binary`. */
  readonly bytes?: Buffer;
}

/** Sends one request. An answer with any HTTP status is returned, not thrown. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

const LIMIT_BYTES = 1024 * 1024;
/** An idle connection is closed after this time: the last session with a VIM may be over. */
const IDLE_MS = 20_000;

/**
 * Creates a transport. It keeps connections alive, connects to no host that the rules refuse, follows no redirect,
 * limits the size of answers, and ignores the proxy variables of the environment. It throws VnflowError VIM_ADDRESS,
 * VIM_UNREACHABLE or VIM_PROTOCOL, or the signal's reason.
 * @param options.keepAlive false closes each connection after its answer
 */
export function createTransport({
  caCert,
  verify = true,
  hosts = createHostRules(),
  keepAlive = true,
}: TransportOptions & { readonly keepAlive?: boolean } = {}): Transport {
  const connections = { keepAlive, maxSockets: 16, timeout: IDLE_MS };
  const client = axios.create({
    httpAgent: new HttpAgent(connections),
    httpsAgent: new HttpsAgent({
      ...connections,
      rejectUnauthorized: verify,
      ...(caCert === undefined ? {} : { ca: [caCert].flat() }),
    }),
    proxy: false,
    maxRedirects: 0,
    maxContentLength: Number.POSITIVE_INFINITY, // counted while it is read
    maxBodyLength: Number.POSITIVE_INFINITY,
    responseType: 'stream',
    transformRequest: (data: unknown) => data,
    validateStatus: () => true,
  });
  const send: Transport = async (request) => {
    const { method, url, headers, data, timeoutMs, limitBytes = LIMIT_BYTES, signal, service, binary } = request;
    signal?.throwIfAborted();
    const call = describeCall(service, method, url);
    const since = performance.now();
    let status: number | undefined;
    const deadline = AbortSignal.timeout(timeoutMs); // axios' own time-out does not cover a body that arrives slowly
    const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      const target = checkedUrl(call, url);
      const refuse = (reason: string) => createAddressProblem(call, reason);
      const refusal = await hosts.refusal(target);
      if (refusal !== undefined) throw refuse(refusal);
      const answer = await client.request<IncomingMessage>({
        method,
        url,
        headers: { Accept: 'application/json', 'User-Agent': 'vnflow', ...headers },
        ...(data === undefined ? {} : { data }),
        signal: ends,
        lookup: hosts.lookupOf(target, refuse) as never, // axios describes another order of the same parameters
      });
      status = answer.status;
      const isError = status >= 400;
      const body = await readBody(answer.data, { limit: isError ? LIMIT_BYTES : limitBytes, signal: ends });
      if (body === undefined && !isError)
        throw createProtocolProblem(call, `an answer of more than ${limitBytes} bytes`);
      const isBytes = binary && !isError;
      return {
        status,
        headers: plainHeaders(answer.headers),
        body: isBytes ? '' : (body?.toString('utf8') ?? ''),
        ...(isBytes && body ? { bytes: body } : {}),
      };
    } catch (error) {
      signal?.throwIfAborted();
      const problem = problemIn(error);
      if (problem) throw problem;
      throw createConnectionProblem(call, deadline.aborted ? Object.assign(new Error(), { code: 'ETIMEDOUT' }) : error);
    } finally {
      measureOpenstackCall({ service, method, status }, (performance.now() - since) / 1000);
    }
  };
  return (request) =>
    traceCall(spanOf(request), async (span) => {
      const answer = await send(request);
      span.add({ 'http.response.status_code': answer.status });
      // many a look expects a 404, and what is wrong with another one is said by the step
      if (answer.status >= 500) span.fail(String(answer.status));
      return answer;
    });
}

/** The path in a trace: no ids, so that equal calls look equal. */
function spanOf({ service, method, url }: HttpRequest): SpanFacts {
  const { hostname, pathname, port } = URL.parse(url) ?? { hostname: '', pathname: '', port: '' };
  const template = pathname.replace(ID, '{id}');
  return {
    name: `${service} ${method} ${template}`,
    kind: 'client',
    attributes: {
      'vnflow.openstack.service': service,
      'http.request.method': method,
      'url.template': template,
      'server.address': hostname,
      ...(port === '' ? {} : { 'server.port': Number(port) }),
    },
  };
}

/** A UUID, with or without hyphens. */
const ID = /[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}/gi;

/** User info and a query are no part of an endpoint: they would send secrets, or name a resource of something else. */
function checkedUrl(call: Call, url: string): URL {
  const target = URL.parse(url);
  if (target && /^https?:$/.test(target.protocol) && target.username === '' && target.password === '') return target;
  throw createProtocolProblem(call, 'an address that is no http or https URL, or has user info');
}

/** Reads a body up to a limit of bytes. @returns undefined, with the connection closed, when there is more */
async function readBody(
  body: IncomingMessage,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let received = 0;
  const abort = () => body.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    for await (const piece of body) {
      received += piece.length;
      if (received > limit) return undefined;
      pieces.push(piece);
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return Buffer.concat(pieces);
}

/** The problem that an error is, or that axios has wrapped. */
function problemIn(error: unknown): VnflowError | undefined {
  if (error instanceof VnflowError) return error;
  return error instanceof Error && error.cause instanceof VnflowError ? error.cause : undefined;
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
