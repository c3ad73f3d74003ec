import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { foreignText } from '../../domain/foreign-text.ts';
import type { AuditEvent, AuditTrail } from '../../store/audit-trail.ts';
import type { Caller } from '../auth/authenticate.ts';
import { clientNetwork } from '../http/client-network.ts';

/** One answer without a caller per network of a client and this time is an entry of its own; the others are counted in the next one. */
const REFUSALS_EVERY_MS = 10_000;
/** Networks whose refusals are counted. When there are more, counting begins anew. */
const MOST_ADDRESSES = 10_000;
const MOST_CHARACTERS = 300;

export interface RequestAudit {
  /** Watches every request. */
  readonly handler: RequestHandler;
  /** Resolves when what was answered so far is in the trail. */
  flush(): Promise<void>;
}

/**
 * Notes every request that writes, and every login that was refused: a line in the log, and an entry in the trail.
 * Requests without a caller, which everybody can send, are limited: one entry per network of a client and time. It does
 * so after the answer, so that no client waits for it. An entry that cannot be stored is whole in the log.
 * @param auditTrail undefined: only the log
 */
export function createRequestAudit({
  log,
  auditTrail: trail,
}: {
  readonly log: Logger;
  readonly auditTrail?: AuditTrail;
}): RequestAudit {
  const limit = createRefusalLimit();
  let written: Promise<void> = Promise.resolve();
  const note = (event: AuditEvent, refusals: number) => {
    const facts = { ...event, at: event.at.toISOString(), ...(refusals > 1 ? { refusals } : {}) };
    const write = async () => {
      const entry = await trail?.append(event);
      log.info({ audit: { ...facts, ...(entry ? { seq: Number(entry.seq), hash: entry.hash } : {}) } }, 'request');
    };
    written = written.then(write).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      log.error({ audit: facts, reason }, 'request; its entry of the audit trail was not stored');
    });
  };
  return {
    handler: (request, response, next) => {
      const requestId = `req-${randomUUID()}`;
      response.locals['requestId'] = requestId;
      response.setHeader('X-Openstack-Request-Id', requestId);
      response.once('close', () => {
        const reads = request.method === 'GET' || request.method === 'HEAD';
        if (reads && !isRefusedLogin(response)) return;
        const event = eventOf(request, response, requestId);
        const isKnownCaller = response.locals['caller'] !== undefined;
        const refusals = isKnownCaller ? 1 : limit(clientNetwork(event.source));
        if (refusals > 0) note(event, refusals);
      });
      next();
    },
    flush: () => written,
  };
}

function isRefusedLogin({ statusCode, locals }: Response): boolean {
  return statusCode === 401 || locals['code'] === 'TOO_MANY_WRONG_TOKENS';
}

function eventOf(request: Request, response: Response, requestId: string): AuditEvent {
  const { caller, route, code } = response.locals as { caller?: Caller; route?: unknown; code?: unknown };
  const location = response.getHeader('Location');
  const opOcc = typeof location === 'string' ? /\/vnf_lcm_op_occs\/([0-9a-f-]{36})$/.exec(location)?.[1] : undefined;
  return {
    at: new Date(),
    who: caller?.userName ?? '',
    project: caller?.tenant ?? null,
    source: request.socket.remoteAddress ?? '',
    action: `${request.method} ${typeof route === 'string' ? route : 'other'}`.slice(0, MOST_CHARACTERS),
    resource: foreignText(request.originalUrl.split('?')[0] ?? '').slice(0, MOST_CHARACTERS),
    status: response.writableFinished ? response.statusCode : 499,
    code: typeof code === 'string' ? code : null,
    requestId,
    vnfLcmOpOccId: opOcc ?? null,
  };
}

/** @returns how many refusals of a network the entry stands for; 0: it is counted in the next one */
function createRefusalLimit(): (source: string) => number {
  const seen = new Map<string, { since: number; count: number }>();
  return (source) => {
    const now = Date.now();
    const before = seen.get(source);
    if (before && now - before.since < REFUSALS_EVERY_MS) {
      before.count++;
      return 0;
    }
    if (seen.size >= MOST_ADDRESSES) seen.clear();
    seen.set(source, { since: now, count: 0 });
    return (before?.count ?? 0) + 1;
  };
}
