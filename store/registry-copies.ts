import { OPEN_STATES } from '../domain/operation/state.ts';
import type { Database } from './open-store.ts';
import { keyId, type MasterKey, sealBytes, unsealBytes } from './seal.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Copies of what private registries have, sealed in pieces. They are deleted together with their instance. */
export interface RegistryCopies {
  /** Writes a piece, also over an older one of that name. */
  write(vnfInstanceId: string, name: string, content: Uint8Array): Promise<void>;
  /** Undefined when there is no such piece. @throws Error when it was sealed under another master key, or was changed */
  read(vnfInstanceId: string, name: string): Promise<Buffer | undefined>;
  remove(vnfInstanceId: string): Promise<void>;
}

export function createRegistryCopies(db: Database, key: MasterKey): RegistryCopies {
  return {
    write: async (vnfInstanceId, name, content) => {
      const sealed = sealBytes(key, pieceName(vnfInstanceId, name), content);
      const writtenAt = new Date();
      await db
        .insertInto('registryCopyPiece')
        .values({ vnfInstanceId, name, sealed, writtenAt, keyId: keyId(key) })
        .onConflict((conflict) =>
          conflict.columns(['vnfInstanceId', 'name']).doUpdateSet({ sealed, writtenAt, keyId: keyId(key) }),
        )
        .execute();
    },
    read: async (vnfInstanceId, name) => {
      const row = await db
        .selectFrom('registryCopyPiece')
        .select(['sealed', 'keyId'])
        .where('vnfInstanceId', '=', vnfInstanceId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row && unsealBytes(key, pieceName(vnfInstanceId, name), row.sealed, row.keyId);
    },
    remove: async (vnfInstanceId) => {
      await db.deleteFrom('registryCopyPiece').where('vnfInstanceId', '=', vnfInstanceId).execute();
    },
  };
}

/**
 * Deletes copies that were not put back for some days: the operation that made them was given up, and no other one has
 * followed.
 * @returns ids of the instances
 */
export async function forgetOldRegistryCopies(db: Database, days: number): Promise<string[]> {
  const old = await db
    .selectFrom('registryCopyPiece as piece')
    .select('piece.vnfInstanceId')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('vnfLcmOpOcc')
            .select('id')
            .whereRef('vnfLcmOpOcc.vnfInstanceId', '=', 'piece.vnfInstanceId')
            .where('operationState', 'in', OPEN_STATES),
        ),
      ),
    )
    .groupBy('piece.vnfInstanceId')
    .having(({ fn }) => fn.max('piece.writtenAt'), '<', new Date(Date.now() - days * DAY_MS))
    .execute();
  const ids = old.map(({ vnfInstanceId }) => vnfInstanceId);
  if (ids.length > 0) await db.deleteFrom('registryCopyPiece').where('vnfInstanceId', 'in', ids).execute();
  return ids;
}

/** A piece of another registry, or of another place in it, does not open under it. */
function pieceName(vnfInstanceId: string, name: string): string {
  return `registry-copy/${vnfInstanceId}/${name}`;
}
