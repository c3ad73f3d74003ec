import { pipeline } from 'node:stream/promises';
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { VnflowError } from '../../domain/problems.ts';
import { fillRemedy, type RemedyIds } from '../../domain/remedy.ts';
import { type Authenticate, checkRole } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';
import { clientNetwork } from './client-network.ts';
import { type Dialect, packageDialect } from './dialect.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  accessOf,
  type Endpoint,
  type Endpoints,
  isMethod,
  type Method,
} from './endpoint.ts';
import { readJsonBody } from './json-body.ts';
import { toProblem } from './problem-answer.ts';
import { watchBody } from './watch-body.ts';

export interface RouterOptions {
  readonly dialect: Dialect;
  readonly context: ApiContext;
  readonly authenticate: Authenticate;
  /** Paths that the standard or Tacker has and vnflow does not offer: their 404 says so. The first group is the name. */
  readonly notOffered?: readonly RegExp[];
}

/**
 * A router of resources that speak one dialect. Authenticates before it reads a body.
 * @param resources path → methods
 */
export function resourceRouter(
  resources: Readonly<Record<string, Endpoints>>,
  { dialect, context, authenticate, notOffered = [] }: RouterOptions,
): Router {
  const router = Router({ caseSensitive: true });
  router.use((_request, response, next) => {
    response.locals['dialect'] = dialect;
    next(context.notReady?.());
  });
  for (const [path, endpoints] of Object.entries(resources)) {
    router.all(path, async (request, response) => {
      response.locals['route'] = `${request.baseUrl}${path}`;
      const caller = await authenticate(request.headers, clientNetwork(request.socket.remoteAddress));
      response.locals['caller'] = caller;
      const { endpoint, method } = endpointOf(request, response, { endpoints, dialect });
      if (endpoint.reads !== 'nothing') {
        const { bodyPace } = context.limits;
        watchBody(request, response, bodyPace, () => void refuseSlowBody(request, response, context));
      }
      const body =
        endpoint.reads === 'json' ? await jsonOf(request, response, { dialect, context, method }) : undefined;
      dialect.check(request.headers);
      checkRole(caller, accessOf(method));
      const incoming = { ...describe(request, response), caller };
      await send(response, dialect, await run(endpoint, incoming, { body, request }));
    });
  }
  router.use(async (request, response) => {
    response.locals['caller'] = await authenticate(request.headers, clientNetwork(request.socket.remoteAddress));
    for (const pattern of notOffered) {
      const name = pattern.exec(request.path)?.[1];
      if (name !== undefined) throw new VnflowError('NOT_OFFERED', { detail: `vnflow does not offer ${name}.` });
    }
    const path = request.originalUrl.split('?')[0] ?? '';
    throw new VnflowError('NOT_FOUND', { detail: `There is no resource at ${path.slice(0, 200)}.` });
  });
  return router;
}

/** The method's endpoint. As in Tacker, the headers of a request are checked before its method is refused. */
function endpointOf(
  request: Request,
  response: Response,
  { endpoints, dialect }: { endpoints: Endpoints; dialect: Dialect },
): { endpoint: Endpoint; method: Method } {
  const { method } = request;
  const endpoint = isMethod(method) ? endpoints[method] : undefined;
  if (isMethod(method) && endpoint) return { endpoint, method };
  dialect.check(request.headers);
  throw refuseMethod(request, response, Object.keys(endpoints));
}

/**
 * Names the methods of a resource in `Allow` (RFC 9110 15.5.6, SOL013); Tacker sends no such header.
 * @returns the problem, to be thrown
 */
export function refuseMethod(request: Request, response: Response, allowed: readonly string[]): VnflowError {
  response.setHeader('Allow', allowed.join(', '));
  return new VnflowError('METHOD_NOT_ALLOWED', { detail: `Method ${request.method} is not supported.` });
}

function jsonOf(
  request: Request,
  response: Response,
  { dialect, context, method }: { dialect: Dialect; context: ApiContext; method: Method },
): Promise<unknown> {
  return readJsonBody(request, response, {
    limitBytes: context.limits.jsonBytes,
    mediaTypes: dialect.mediaTypes(method),
  });
}

function describe(request: Request, response: Response): Omit<ApiRequest, 'caller'> {
  const url = new URL(request.originalUrl, 'http://unused');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return {
    params: pathParams(request),
    query: url.searchParams,
    path: url.pathname,
    headers: request.headers,
    signal: gone.signal,
  };
}

function pathParams(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join('/') : String(value),
    ]),
  );
}

function run(
  endpoint: Endpoint,
  incoming: ApiRequest,
  { body, request }: { body: unknown; request: Request },
): Promise<ApiAnswer> {
  switch (endpoint.reads) {
    case 'nothing':
      return endpoint.handle(incoming);
    case 'json':
      return endpoint.handle(incoming, body);
    case 'stream':
      return endpoint.handle(incoming, request);
    default:
      return endpoint satisfies never;
  }
}

/** Sends an answer with the headers of its dialect. Content-Types are exact: clients compare them. */
export async function send(response: Response, dialect: Dialect, answer: ApiAnswer): Promise<void> {
  const { status, json, bytes, stream } = answer;
  const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
  response.writeHead(status, {
    ...dialect.headers,
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...answer.headers,
    ...(status === 204 ? {} : { 'Content-Length': String(stream?.length ?? body?.length ?? 0) }),
  });
  if (stream) await pipeline(stream.pieces, response);
  else response.end(body);
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The ids in the path of a request that commands of a remedy need. */
function idsIn(path: string): RemedyIds {
  const idAfter = (name: string) => new RegExp(`/${name}/(${UUID})(?![^/?])`, 'i').exec(path)?.[1];
  return { vnfLcmOpOccId: idAfter('vnf_lcm_op_occs'), vnfInstanceId: idAfter('vnf_instances') };
}

/** Answers at once, although the handler still waits for the body, and closes the connection. */
async function refuseSlowBody(request: Request, response: Response, context: ApiContext): Promise<void> {
  const error = new VnflowError('BODY_TOO_SLOW', { detail: 'The request body came too slowly and was cut off.' });
  response.setHeader('Connection', 'close');
  await answerProblem(error, { request, response }, context).catch(() => {});
  request.destroy();
}

/** A client that goes away in the middle of its body is no defect: the line of the request says so (status 499). */
function hasGone({ destroyed, complete }: Request): boolean {
  return destroyed && !complete;
}

/** The one place where errors become answers. */
export function errorHandler({ log, authUrl }: { log: Logger; authUrl?: string | undefined }): ErrorRequestHandler {
  return async (error: unknown, request, response, _next) => {
    if (hasGone(request)) {
      response.destroy();
      return;
    }
    await answerProblem(error, { request, response }, { log, authUrl });
  };
}

async function answerProblem(
  error: unknown,
  { request, response }: { readonly request: Request; readonly response: Response },
  { log, authUrl }: { readonly log: Logger; readonly authUrl?: string | undefined },
): Promise<void> {
  const dialect = (response.locals['dialect'] as Dialect | undefined) ?? packageDialect;
  const { problem: found, headers } = toProblem(error, log);
  const problem = { ...found, remedy: fillRemedy(found.remedy, idsIn(request.originalUrl)) };
  response.locals['code'] = problem.code;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { mediaType, body } = dialect.problem(problem);
  const challenge = problem.status === 401 ? { 'WWW-Authenticate': `Keystone uri="${authUrl ?? ''}"` } : {};
  await send(response, dialect, {
    status: problem.status,
    json: body,
    headers: { ...headers, ...challenge, 'Content-Type': mediaType },
  });
}
