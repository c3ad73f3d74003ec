import type { Logger } from 'pino';
import { type ActivityDependencies, type Pace, paceAt } from '../activities/dependencies.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { validateToken } from '../openstack/keystone-token.ts';
import { checkConnection } from '../openstack/session.ts';
import { readCsar } from '../packages/csar.ts';
import { type ClusterBackups, createClusterBackups } from '../store/cluster-backups.ts';
import { createStore, type Database } from '../store/open-store.ts';
import { createSecrets, type Secrets } from '../store/secrets.ts';
import type { Configuration } from './configuration.ts';

/**
 * The composition root: which parts API and worker are made of. Production and tests build them here; nothing is started
 * here (start-vnflow.ts does that).
 */

/** The store, and what lies sealed in it. */
export interface Stored {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly backups: ClusterBackups;
}

/**
 * The store of a configuration. It is neither opened nor migrated yet.
 * @param died called when the embedded Postgres has given up: only a new process helps
 */
export function composeStored(
  { store, masterKey }: Pick<Configuration, 'store' | 'masterKey'>,
  died?: (error: Error) => void,
): Stored {
  const db = createStore(store, died);
  return { db, secrets: createSecrets(db, masterKey), backups: createClusterBackups(db, masterKey) };
}

export interface ActivityComposition {
  readonly configuration: Pick<Configuration, 'bastion' | 'backups'>;
  readonly log: Logger;
  /** Factor by which the time of a simulated cloud runs faster than real time. Undefined with a real cloud. */
  readonly speed?: number | undefined;
  /** Replaces parts of the pace that belongs to `speed`. */
  readonly pace?: Partial<Pace> | undefined;
}

/** What a worker's activities get. */
export function composeActivities(
  { db, secrets, backups }: Stored,
  { configuration, log, speed = 1, pace }: ActivityComposition,
): ActivityDependencies {
  const { bastion } = configuration;
  return {
    db,
    secrets,
    backups: { ...configuration.backups, store: backups },
    pace: { ...paceAt(speed), ...pace },
    log,
    ...(bastion ? { bastion } : {}),
  };
}

export interface ApiComposition
  extends Pick<ApiDependencies, 'engine' | 'log' | 'endpoint' | 'notReady' | 'packageHosts'> {
  /** Base URL of the Keystone that validates tokens. */
  readonly keystoneUrl: string;
}

/** What the API gets. */
export function composeApi({ db, secrets }: Stored, { keystoneUrl, ...given }: ApiComposition): ApiDependencies {
  return {
    ...given,
    db,
    secrets,
    readCsar,
    checkVim: checkConnection,
    validateToken: (token) => validateToken(keystoneUrl, token),
    authUrl: keystoneUrl,
  };
}
