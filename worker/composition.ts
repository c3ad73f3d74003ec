import type { Logger } from 'pino';
import { type ActivityDependencies, type Pace, paceAt } from '../activities/dependencies.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { createHostRules } from '../network/host-rules.ts';
import { checkKeystone } from '../openstack/check-keystone.ts';
import { validateToken } from '../openstack/keystone-token.ts';
import { checkConnection } from '../openstack/session.ts';
import { createTransport } from '../openstack/transport.ts';
import { readCsar } from '../packages/csar.ts';
import { type AuditTrail, createAuditTrail } from '../store/audit-trail.ts';
import { type ClusterBackups, createClusterBackups } from '../store/cluster-backups.ts';
import { createStore, type Database } from '../store/open-store.ts';
import { createRegistryCopies, type RegistryCopies } from '../store/registry-copies.ts';
import { createSecrets, type Secrets } from '../store/secrets.ts';
import type { Configuration } from './configuration.ts';

/**
 * The composition root: it puts together the parts of API and worker, for production and for tests. It starts nothing;
 * that is the task of start-vnflow.ts.
 */

/** The store, and access to its sealed values. */
export interface Stored {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly backups: ClusterBackups;
  readonly registryCopies: RegistryCopies;
  readonly auditTrail: AuditTrail;
}

/**
 * Creates the store of a configuration. The store is neither opened nor migrated yet.
 * @param died called when the embedded Postgres has panicked: then only a new process helps
 */
export function composeStored(
  { store, masterKey }: Pick<Configuration, 'store' | 'masterKey'>,
  died?: (error: Error) => void,
): Stored {
  const db = createStore(store, died);
  return {
    db,
    secrets: createSecrets(db, masterKey),
    backups: createClusterBackups(db, masterKey),
    registryCopies: createRegistryCopies(db, masterKey),
    auditTrail: createAuditTrail(db, masterKey),
  };
}

export interface ActivityComposition {
  readonly configuration: Pick<
    Configuration,
    | 'bastion'
    | 'backups'
    | 'registryCopyLimitBytes'
    | 'allowPackageCode'
    | 'vimHosts'
    | 'bootLimitSeconds'
    | 'build'
    | 'openstackCa'
  >;
  readonly log: Logger;
  /** Factor by which a simulated cloud runs faster than real time. Undefined with a real cloud. */
  readonly speed?: number | undefined;
  /** Replaces members of the pace that follows from `speed`. */
  readonly pace?: Partial<Pace> | undefined;
}

/** Creates the dependencies of a worker's activities. */
export function composeActivities(
  { db, secrets, backups, registryCopies }: Stored,
  { configuration, log, speed = 1, pace }: ActivityComposition,
): ActivityDependencies {
  const { bastion, allowPackageCode, build, vimHosts, openstackCa, bootLimitSeconds: bootLimit } = configuration;
  return {
    allowPackageCode,
    build,
    vimHosts: createHostRules(vimHosts),
    openstackCa,
    db,
    secrets,
    backups: { ...configuration.backups, store: backups },
    registryCopies: { store: registryCopies, limitBytes: configuration.registryCopyLimitBytes },
    pace: { ...paceAt(speed), ...(bootLimit === undefined ? {} : { bootLimit }), ...pace },
    log,
    ...(bastion ? { bastion } : {}),
  };
}

export interface ApiComposition
  extends Pick<
      ApiDependencies,
      'engine' | 'log' | 'endpoint' | 'notReady' | 'allowPackageCode' | 'checks' | 'metrics' | 'limits'
    >,
    Pick<Configuration, 'packageHosts' | 'vimHosts' | 'openstackCa'> {
  /** URL of the Keystone that validates tokens. */
  readonly keystoneUrl: string;
}

/** Creates the dependencies of the API. */
export function composeApi(
  { db, secrets, auditTrail }: Stored,
  { keystoneUrl, openstackCa, ...given }: ApiComposition,
): ApiDependencies {
  const packageHosts = createHostRules(given.packageHosts);
  const vimHosts = createHostRules(given.vimHosts);
  const authorities = openstackCa === undefined ? {} : { caCert: openstackCa };
  const keystone = createTransport({ ...authorities, hosts: createHostRules({ keystone: keystoneUrl }) });
  return {
    ...given,
    db,
    secrets,
    auditTrail,
    packageHosts,
    vimHosts,
    readCsar: (file) => readCsar(file, undefined, { remoteHosts: packageHosts }),
    checkVim: (credentials) => checkConnection({ ...authorities, ...credentials, hosts: vimHosts }),
    checks: [...(given.checks ?? []), { name: 'keystone', look: () => checkKeystone(keystoneUrl, keystone) }],
    validateToken: (token) => validateToken(keystoneUrl, token, { transport: keystone }),
    authUrl: keystoneUrl,
  };
}
