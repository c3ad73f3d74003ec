import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import type { Ledger } from '../kernel/ledger.ts';
import type { Session } from '../world/cloud/cloud-state.ts';
import type { FaultEffect } from '../world/cloud/faults.ts';
import type { Foundation } from '../world/cloud/foundation.ts';
import type { Json } from '../world/cloud/json.ts';
import { Refusal } from '../world/cloud/refusal.ts';
import type { Sessions } from './keystone/sessions.ts';
import type { Answer, Call, Route, Service } from './service.ts';

/** The largest JSON body that is accepted, bytes. */
const LARGEST_JSON = 16 * 1024 * 1024;

interface Parts {
  readonly foundation: Foundation;
  readonly sessions: Sessions;
  readonly ledger: Ledger;
}

/** Mounts the routes of a service on the common server. */
export function mountService(app: Express, service: Service, parts: Parts): void {
  const router = express.Router({ caseSensitive: true });
  for (const route of service.routes) {
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head';
    router[method](route.path, (req, res) => serve(parts, service, { route, req, res }));
  }
  router.use((req, res) => serve(parts, service, { route: undefined, req, res }));
  app.use(service.mount, router);
}

interface Exchange {
  /** Undefined when no route has this URL. */
  readonly route: Route | undefined;
  readonly req: Request;
  readonly res: Response;
}

async function serve(parts: Parts, service: Service, { route, req, res }: Exchange): Promise<void> {
  const { foundation, ledger } = parts;
  const requestId = `req-${randomUUID()}`;
  const path = `${service.mount}${req.path}`;
  res.once('close', () => {
    const status = res.writableFinished ? res.statusCode : 0;
    ledger.record({ kind: 'http', where: service.name, what: `${req.method} ${path}`, detail: { status } });
  });
  await foundation.clock.sleep(foundation.latency.apiCall);
  const effect = foundation.faults.strikeRequest({ service: service.name, method: req.method, path });
  if (effect?.delaySeconds !== undefined) await foundation.clock.sleep(effect.delaySeconds);
  if (effect && !effect.afterSuccess && spoils(effect)) return spoil(service, effect, { req, res });
  const answer = await answerOf(parts, service, { route, req, res });
  if (effect?.afterSuccess) return spoil(service, effect, { req, res });
  // A change that was answered with success must survive a kill -9. Tokens may be lost: clients request new ones.
  if (req.method !== 'GET' && answer.status < 400 && service.name !== 'keystone') foundation.flush();
  const own = answer.isFromGate
    ? { 'X-Openstack-Request-Id': requestId }
    : service.headers?.(requestId, { headers: req.headers });
  send(res, answer, own ?? {});
}

function spoils({ status, hang, resetConnection }: FaultEffect): boolean {
  return status !== undefined || hang === true || resetConnection === true;
}

/** Gives the answer that the fault demands, or none. */
function spoil(
  service: Service,
  effect: FaultEffect,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
): void {
  if (effect.hang) return;
  if (effect.resetConnection) {
    req.socket.resetAndDestroy();
    return;
  }
  const status = effect.status ?? 503;
  const refusal = new Refusal(status, 'HTTPException', 'A failure ordered from the simulator.');
  const answer =
    effect.body === undefined
      ? service.refuse(refusal, { path: req.url ?? '' })
      : { status, body: effect.body as Json };
  const headers: Record<string, string> =
    effect.retryAfter === undefined ? {} : { 'Retry-After': String(effect.retryAfter) };
  send(res, { ...answer, headers }, {});
}

async function answerOf(parts: Parts, service: Service, { route, req }: Exchange): Promise<Answer> {
  try {
    if (!route) return service.unknownUrl(req.path);
    const session = authenticate(parts, service, { route, req });
    if (!session) return answerUnauthorized(parts, service);
    if (!mayDo(service, req.method, session, route)) {
      throw new Refusal(
        403,
        service.name === 'heat' ? 'Forbidden' : 'PolicyNotAuthorized',
        'You are not authorized to complete this action.',
      );
    }
    const upload = route.payload === 'upload';
    const bytes = upload ? Buffer.alloc(0) : await readBody(req);
    return await route.handle({
      method: req.method,
      path: req.path,
      params: readParams(req.params),
      query: new URL(req.url, 'http://localhost').searchParams,
      headers: req.headers,
      body: parseBody(bytes),
      bodyBytes: bytes.length,
      session,
      upload: upload ? (req as AsyncIterable<Buffer>) : undefined,
    } satisfies Call);
  } catch (error) {
    if (error instanceof Refusal) return service.refuse(error, { path: req.path });
    process.stderr.write(
      `simulator: ${req.method} ${service.mount}${req.path}: ${error instanceof Error ? error.stack : error}\n`,
    );
    return service.refuse(new Refusal(500, 'InternalError', String(error)), { path: req.path });
  }
}

const NOBODY: Session = { userId: '', userName: '', projectId: '', roles: [], admin: false };

function authenticate(
  { sessions }: Parts,
  service: Service,
  { route, req }: { route: Route; req: Request },
): Session | undefined {
  if (route.auth === 'none') return NOBODY;
  const token = req.headers['x-auth-token'];
  // Keystone accepts the subject token alone as authentication for a request about that token.
  const own =
    typeof token === 'string' ? token : service.name === 'keystone' ? req.headers['x-subject-token'] : undefined;
  return sessions.session(typeof own === 'string' ? own : undefined);
}

/** A reader may send GET and HEAD only. Keystone applies rules of its own. */
function mayDo(service: Service, method: string, { admin, roles }: Session, { auth }: Route): boolean {
  if (auth === 'none' || service.name === 'keystone' || method === 'GET' || method === 'HEAD') return true;
  return admin || roles.includes('member');
}

function answerUnauthorized({ foundation }: Parts, service: Service): Answer {
  const headers = { 'Www-Authenticate': `Keystone uri="${foundation.url()}/identity"` };
  const message = 'The request you have made requires authentication.';
  if (service.name === 'glance')
    return { ...service.refuse(new Refusal(401, 'Unauthorized', message), { path: '' }), headers, isFromGate: true };
  return { status: 401, headers, isFromGate: true, body: { error: { code: 401, title: 'Unauthorized', message } } };
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_JSON) throw new Refusal(413, 'RequestEntityTooLarge', 'The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseBody(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    throw new Refusal(
      400,
      'HTTPBadRequest',
      'The server could not comply with the request since it is either malformed or otherwise incorrect. Malformed JSON in request body.',
    );
  }
}

function readParams(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [key, Array.isArray(value) ? value.join('/') : String(value)]),
  );
}

function send(res: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>>): void {
  if (res.destroyed || res.headersSent) return;
  res.statusCode = answer.status;
  for (const [name, value] of Object.entries({ ...headers, ...answer.headers })) res.setHeader(name, value);
  if (answer.html !== undefined) {
    res.setHeader('Content-Type', 'text/html; charset=UTF-8');
    res.end(answer.html);
  } else if (answer.bytes !== undefined) {
    res.setHeader('Content-Type', 'application/octet-stream');
    res.setHeader('Content-Length', answer.bytes.length);
    res.end(answer.bytes);
  } else if (answer.body === undefined) res.end();
  else {
    res.setHeader('Content-Type', 'application/json');
    const text = JSON.stringify(answer.body);
    res.setHeader('Content-Length', Buffer.byteLength(text));
    res.end(text);
  }
}
