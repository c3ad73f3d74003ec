import { VnflowError } from '../../domain/problems.ts';
import type { AuditEntry, AuditTrail, Verification } from '../../store/audit-trail.ts';
import { isOperator } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoints, withoutBody } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { readCount } from '../http/read-count.ts';

const MOST_ENTRIES = 1_000;

/** The audit trail under `/vnflow/v1`: the entries of the caller's project, and whether the whole chain is intact. */
export function auditResources({ auditTrail }: ApiContext): Record<string, Endpoints> {
  const trail = () => {
    if (auditTrail) return auditTrail;
    throw new VnflowError('NOT_OFFERED', { detail: 'This process keeps no audit trail.' });
  };
  const verifyOnce = oneVerification();
  return {
    '/audit': {
      GET: withoutBody(async ({ caller, query }) => {
        const after = readCount(query, 'after', 0, Number.MAX_SAFE_INTEGER);
        const limit = readCount(query, 'limit', 100, MOST_ENTRIES);
        const entries = await trail().list(caller.tenant, { after, limit });
        return { status: 200, json: { entries: entries.map(entryView), next: Number(entries.at(-1)?.seq ?? after) } };
      }),
    },
    '/audit/verify': {
      GET: withoutBody(async ({ caller }) => {
        const { ok, ...ofAllProjects } = await verifyOnce(trail());
        return { status: 200, json: isOperator(caller) ? { ok, ...ofAllProjects } : { ok } };
      }),
    },
  };
}

/** A verification reads the whole trail: requests that come while one runs get its result. */
function oneVerification(): (trail: AuditTrail) => Promise<Verification> {
  let running: Promise<Verification> | undefined;
  return (trail) => {
    running ??= trail.verify().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function entryView({ seq, at, ...entry }: AuditEntry): Record<string, unknown> {
  return present({ seq: Number(seq), at: at.toISOString(), ...entry });
}
