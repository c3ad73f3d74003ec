import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from './open-store.ts';
import type { AuditEntryTable } from './schema.ts';
import type { MasterKey } from './seal.ts';
import { createSecrets, secretName } from './secrets.ts';

export type AuditEntry = Selectable<AuditEntryTable>;
/** An event before it has its place in the chain. */
export type AuditEvent = Omit<AuditEntry, 'seq' | 'hash'>;

export interface Verification {
  readonly ok: boolean;
  /** How many entries were read. */
  readonly entries: number;
  /** Number and hash of the last good entry: compare them with an export, or with a line of the log. */
  readonly last?: { readonly seq: number; readonly hash: string };
  /** Number of the first entry that was changed, or before which one is missing. */
  readonly brokenAt?: number;
}

/** Who did what, when, from where, with which result. Entries are only added. */
export interface AuditTrail {
  append(event: AuditEvent): Promise<AuditEntry>;
  /** The entries of a project with a higher number, the oldest first. */
  list(project: string, options: { readonly after: number; readonly limit: number }): Promise<AuditEntry[]>;
  /**
   * Computes the chain anew. It finds entries that were changed, and entries that are missing between others. Entries
   * that were cut off at the end are found by comparing `last` with an export or with the log.
   */
  verify(): Promise<Verification>;
}

/** Any number: processes that append to one trail take the lock of this number, because each entry needs the last. */
const LOCK = 712_026_002;
const KeptKeys = z.array(z.base64());
const BEGINNING = '0'.repeat(64);
const PAGE = 1_000;

/** @param key the hashes are keyed: without the master key nobody can write a chain that verifies */
export function createAuditTrail(db: Database, key: MasterKey): AuditTrail {
  const chainKey = chainKeyOf(key);
  return {
    append: (event) =>
      db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
        const last = await tx
          .selectFrom('auditEntry')
          .select(['seq', 'hash'])
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst();
        const seq = Number(last?.seq ?? 0) + 1;
        const hash = hashOf(chainKey, last?.hash ?? BEGINNING, { ...event, seq: String(seq) });
        return tx
          .insertInto('auditEntry')
          .values({ ...event, seq, hash })
          .returningAll()
          .executeTakeFirstOrThrow();
      }),
    list: (project, { after, limit }) =>
      db
        .selectFrom('auditEntry')
        .selectAll()
        .where('project', '=', project)
        .where('seq', '>', String(after))
        .orderBy('seq')
        .limit(limit)
        .execute(),
    verify: async () => verifyChain(db, await chainKeys(db, key)),
  };
}

function chainKeyOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'vnflow audit trail', 32));
}

/** The keys under which entries may have been chained: those of all master keys that there have been. */
async function chainKeys(db: Database, key: MasterKey): Promise<Buffer[]> {
  const kept = KeptKeys.parse((await createSecrets(db, key).get(secretName.chainKeys())) ?? []);
  const own = [key, ...(key.older ?? [])].map((one) => chainKeyOf(one).toString('base64'));
  return [...new Set([...own, ...kept])].map((one) => Buffer.from(one, 'base64'));
}

/** Keeps what verifies the entries that older master keys have chained, before these keys go. */
export async function keepChainKeys(db: Database, key: MasterKey): Promise<void> {
  if (!key.older) return;
  const keys = (await chainKeys(db, key)).map((one) => one.toString('base64'));
  await createSecrets(db, key).put(secretName.chainKeys(), keys, 'audit');
}

async function verifyChain(db: Database, keys: readonly Buffer[]): Promise<Verification> {
  let last: { seq: number; hash: string } | undefined;
  for (;;) {
    const rows = await db
      .selectFrom('auditEntry')
      .selectAll()
      .where('seq', '>', String(last?.seq ?? 0))
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      const seq: number = (last?.seq ?? 0) + 1;
      const before = last?.hash ?? BEGINNING;
      const isRight = keys.some((key) => isEqual(row.hash, hashOf(key, before, { ...row, seq: String(seq) })));
      const whole = Number(row.seq) === seq && isRight;
      if (!whole) return { ok: false, entries: seq - 1, brokenAt: seq, ...(last ? { last } : {}) };
      last = { seq, hash: row.hash };
    }
    if (rows.length < PAGE) return { ok: true, entries: last?.seq ?? 0, ...(last ? { last } : {}) };
  }
}

/** The members in a fixed order, so that the text does not depend on how a row was read. */
function hashOf(key: Buffer, before: string, entry: AuditEvent & { readonly seq: string }): string {
  const { seq, at, who, project, source, action, resource, status, code, requestId, vnfLcmOpOccId } = entry;
  const members = [
    seq,
    at.toISOString(),
    who,
    project,
    source,
    action,
    resource,
    status,
    code,
    requestId,
    vnfLcmOpOccId,
  ];
  return createHmac('sha256', key).update(before).update(JSON.stringify(members)).digest('hex');
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
