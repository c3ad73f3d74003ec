import path from 'node:path';
import { migrateStore } from '../store/migrate-store.ts';
import { createStore, type Database } from '../store/open-store.ts';
import { countKeyUses, type KeyUse, resealRows } from '../store/rotate-keys.ts';
import { addKeyToFile, keepFirstKeyOfFile, keyId } from '../store/seal.ts';
import { type Configuration, readConfiguration } from './configuration.ts';

/** What was done, and what a person does next. */
export interface Rotation {
  readonly keyId: string;
  readonly resealed: number;
  readonly next: readonly string[];
}

/**
 * Seals everything in the store under the current master key.
 * @param environment as a rule `process.env`
 * @param data directory of the embedded store and the key file
 * @throws Error when there is no second key to move away from, or when the embedded store is in use
 */
export async function rotateMasterKey(environment: NodeJS.ProcessEnv, data: string): Promise<Rotation> {
  const isInFile = !environment['VNFLOW_MASTER_KEY'] && !environment['VNFLOW_MASTER_KEY_FILE'];
  const keyFile = path.join(data, 'master.key');
  const { masterKey: before } = readConfiguration(environment, data);
  // A rotation that was cut off has left two keys: it goes on with the new one.
  if (isInFile && !before.older) addKeyToFile(keyFile);
  const configuration = readConfiguration(environment, data);
  const { masterKey } = configuration;
  if (!masterKey.older) {
    throw new Error(
      'There is one master key only. Put the new one before it: VNFLOW_MASTER_KEY="NEW OLD" for this command, the API and all workers.',
    );
  }
  const resealed = await withStore(configuration, (db) => resealRows(db, masterKey));
  if (isInFile) keepFirstKeyOfFile(keyFile);
  const next = isInFile
    ? [`${keyFile} has the new key alone. Keep a copy of it with the next backup of the store.`]
    : ['Now leave the old key out of VNFLOW_MASTER_KEY, and restart the API and all workers.'];
  return { keyId: keyId(masterKey), resealed, next };
}

/** Counts what is sealed under which key. */
export async function listKeyUses(
  environment: NodeJS.ProcessEnv,
  data: string,
): Promise<(KeyUse & { readonly role: string })[]> {
  const configuration = readConfiguration(environment, data);
  const { masterKey } = configuration;
  const roles = new Map([
    ...(masterKey.older ?? []).map((key) => [keyId(key), 'opens only'] as const),
    [keyId(masterKey), 'current'] as const,
  ]);
  const uses = await withStore(configuration, countKeyUses);
  return uses.map((use) => ({
    ...use,
    role: use.keyId === undefined ? '-' : (roles.get(use.keyId) ?? 'not configured'),
  }));
}

async function withStore<T>({ store }: Configuration, work: (db: Database) => Promise<T>): Promise<T> {
  const db = createStore(store);
  try {
    await migrateStore(db);
    return await work(db);
  } finally {
    await db.destroy();
  }
}
