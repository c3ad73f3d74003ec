import type { Database } from './open-store.ts';
import { CHUNK_BYTES } from './vnf-packages.ts';

/** Number of bytes of the uploaded archive. */
export async function vnfPackageContentLength(db: Database, id: string): Promise<number> {
  const row = await db
    .selectFrom('vnfPackageContent')
    .select((eb) => eb.fn.sum<string | null>(eb.fn('octet_length', ['chunk'])).as('length'))
    .where('packageId', '=', id)
    .executeTakeFirst();
  return Number(row?.length ?? 0);
}

/** Reads the bytes from `first` to `last`, both included, piece by piece. */
export async function* readVnfPackageBytes(
  db: Database,
  id: string,
  { first, last }: { first: number; last: number },
): AsyncGenerator<Uint8Array> {
  for (let seq = Math.floor(first / CHUNK_BYTES); seq * CHUNK_BYTES <= last; seq++) {
    const row = await db
      .selectFrom('vnfPackageContent')
      .select('chunk')
      .where('packageId', '=', id)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (!row) return; // the package was deleted meanwhile
    const start = seq * CHUNK_BYTES;
    yield row.chunk.subarray(Math.max(0, first - start), last - start + 1);
  }
}
