import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { z } from 'zod';
import {
  type BackupSettings,
  type Bastion,
  DEFAULT_BACKUPS,
  DEFAULT_REGISTRY_COPY_MIB,
} from '../activities/dependencies.ts';
import type { TlsFiles } from '../api/http/tls-files.ts';
import { privateKeyProblem } from '../domain/private-key.ts';
import type { TemporalAccess } from '../engine/temporal-access.ts';
import { type HostSettings, hostOf, parseHosts } from '../network/host-rules.ts';
import { DEFAULT_DURABILITY, DURABILITIES, type Durability } from '../store/durability.ts';
import type { StoreLocation } from '../store/open-store.ts';
import { type MasterKey, masterKey } from '../store/seal.ts';
import type { TraceSettings } from '../tracing/trace-settings.ts';
import { readBuildId } from './build-id.ts';
import { optionalVariable } from './optional-variable.ts';
import { TEMPORAL_VARIABLES, temporalAccess } from './temporal-access.ts';
import { type RefusedTraces, readTraceSettings } from './trace-settings.ts';

export type { Durability };

/** It stands in texts and in identities of workers. */
const BUILD = /^[\w.+-]{1,100}$/;
const HOST_KEYS = /^SHA256:[A-Za-z0-9+/]{43}(?:,SHA256:[A-Za-z0-9+/]{43})*$/;
const BASTION = /^(?<username>[^@\s]+)@(?<host>[^@\s]+?)(?::(?<port>\d{1,5}))?$/;

const LISTEN = /^(?<host>[^\s/]+):(?<port>\d{1,5})$/;

const Environment = z.object({
  DATABASE_URL: optionalVariable(z.url({ protocol: /^postgres(ql)?$/ })),
  TEMPORAL_ADDRESS: optionalVariable(z.string().regex(/^[^\s/]+:\d+$/, 'must be host:port')),
  TEMPORAL_NAMESPACE: optionalVariable(z.string().min(1)),
  ...TEMPORAL_VARIABLES,
  VNFLOW_MASTER_KEY: optionalVariable(z.string()),
  VNFLOW_KEYSTONE_URL: optionalVariable(z.url()),
  OS_CACERT: optionalVariable(z.string()),
  VNFLOW_TLS_CERT_FILE: optionalVariable(z.string()),
  VNFLOW_TLS_KEY_FILE: optionalVariable(z.string()),
  VNFLOW_ENDPOINT: optionalVariable(z.url()),
  VNFLOW_METRICS_LISTEN: optionalVariable(z.string().regex(LISTEN, 'must be host:port')),
  VNFLOW_BASTION: optionalVariable(z.string().regex(BASTION, 'must be user@host:port')),
  VNFLOW_BASTION_KEY_FILE: optionalVariable(z.string()),
  VNFLOW_BASTION_PASSWORD: optionalVariable(z.string()),
  VNFLOW_BASTION_HOST_KEY: optionalVariable(
    z.string().regex(HOST_KEYS, 'must be SHA256:… as `ssh-keygen -l` prints it; several separated by commas'),
  ),
  VNFLOW_BOOT_MINUTES: optionalVariable(z.coerce.number().min(1).max(240)),
  VNFLOW_BACKUP_HOURS: optionalVariable(z.coerce.number().min(0.25).max(168)),
  VNFLOW_DURABILITY: optionalVariable(z.enum(DURABILITIES)),
  VNFLOW_PACKAGE_HOSTS: optionalVariable(z.string()),
  VNFLOW_VIM_HOSTS: optionalVariable(z.string()),
  VNFLOW_PACKAGE_QUOTA_GB: optionalVariable(z.coerce.number().min(0.01).max(10_000)),
  VNFLOW_BACKUPS_KEPT: optionalVariable(z.coerce.number().int().min(1).max(100)),
  VNFLOW_ALLOW_PACKAGE_CODE: optionalVariable(z.enum(['0', '1'])),
  VNFLOW_REGISTRY_COPY_MIB: optionalVariable(z.coerce.number().int().min(0).max(65_536)),
  VNFLOW_STEP_LOG_DAYS: optionalVariable(z.coerce.number().min(1).max(3650)),
  VNFLOW_BUILD_ID: optionalVariable(z.string().regex(BUILD, 'must be up to 100 letters, digits and . _ + -')),
});

/** @internal Names of all variables, for the test of the files in deploy/. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** The settings of an API or a worker process, read from its environment. */
export interface Configuration {
  readonly store: StoreLocation;
  readonly masterKey: MasterKey;
  readonly temporalAddress: string | undefined;
  readonly temporalNamespace: string;
  /** TLS and API key of the connection to Temporal. Undefined: plain text. */
  readonly temporalAccess?: TemporalAccess | undefined;
  readonly keystoneUrl: string | undefined;
  /**
   * CA certificates in PEM that the Keystone of `keystoneUrl`, and each VIM that names no CA of its own, are checked
   * with: those of Node, and those of the operator. Undefined: those of Node.
   */
  readonly openstackCa?: readonly string[] | undefined;
  readonly endpoint: string | undefined;
  /** Certificate and key of the API. Undefined: it serves HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** Where this process serves /livez, /readyz and /metrics, besides its API. */
  readonly metricsListen: { readonly host: string; readonly port: number } | undefined;
  readonly bastion: Bastion | undefined;
  /** How long a new server may take until it answers over SSH. Undefined: the default of the activities. */
  readonly bootLimitSeconds: number | undefined;
  readonly backups: BackupSettings;
  /** The largest copy of a private registry that the store keeps while its server is replaced. */
  readonly registryCopyLimitBytes: number;
  /** Hosts from which packages may be fetched. */
  readonly packageHosts: HostSettings;
  /** Hosts that VIMs may have. */
  readonly vimHosts: HostSettings;
  /** Bytes that the packages of a project may take. Undefined: the API's default. */
  readonly packageQuotaBytes?: number | undefined;
  /** So many days the logs of steps are kept after the end of their operation. Undefined: the reconciler's default. */
  readonly stepLogDays?: number | undefined;
  /** Whether code of packages may run. */
  readonly allowPackageCode: boolean;
  /** The name of the build that runs. */
  readonly build: string;
  /** How spans are sent. Undefined: none are made. */
  readonly traces?: TraceSettings | RefusedTraces | undefined;
}

/**
 * Reads the settings from environment variables.
 * @param environment as a rule `process.env`
 * @param dataDirectory directory of the embedded store and the key file
 * @throws Error that names the variable and its allowed values
 */
export function readConfiguration(environment: NodeJS.ProcessEnv, dataDirectory: string): Configuration {
  const env = readEnvironment(environment);
  const vimHosts = parseHosts(env.VNFLOW_VIM_HOSTS);
  const internal = internalHosts(env);
  return {
    store:
      env.DATABASE_URL === undefined
        ? {
            kind: 'embedded',
            directory: path.join(dataDirectory, 'store'),
            durability: env.VNFLOW_DURABILITY ?? DEFAULT_DURABILITY,
          }
        : { kind: 'postgres', url: env.DATABASE_URL },
    masterKey: masterKey({ VNFLOW_MASTER_KEY: env.VNFLOW_MASTER_KEY }, path.join(dataDirectory, 'master.key')),
    temporalAddress: env.TEMPORAL_ADDRESS,
    temporalNamespace: env.TEMPORAL_NAMESPACE ?? 'default',
    temporalAccess: temporalAccess(env),
    keystoneUrl: env.VNFLOW_KEYSTONE_URL,
    openstackCa: env.OS_CACERT === undefined ? undefined : [...rootCertificates, readAuthorities(env.OS_CACERT)],
    tls: tlsOf(env),
    endpoint: env.VNFLOW_ENDPOINT,
    metricsListen: env.VNFLOW_METRICS_LISTEN === undefined ? undefined : listenOf(env.VNFLOW_METRICS_LISTEN),
    bastion: env.VNFLOW_BASTION === undefined ? undefined : bastionOf(env.VNFLOW_BASTION, env),
    packageHosts: { trusted: parseHosts(env.VNFLOW_PACKAGE_HOSTS), internal },
    vimHosts: {
      keystone: env.VNFLOW_KEYSTONE_URL,
      trusted: vimHosts,
      trustedOnly: vimHosts.length > 0,
      internal,
    },
    bootLimitSeconds: env.VNFLOW_BOOT_MINUTES === undefined ? undefined : env.VNFLOW_BOOT_MINUTES * 60,
    packageQuotaBytes:
      env.VNFLOW_PACKAGE_QUOTA_GB === undefined ? undefined : Math.round(env.VNFLOW_PACKAGE_QUOTA_GB * 1024 ** 3),
    stepLogDays: env.VNFLOW_STEP_LOG_DAYS,
    allowPackageCode: env.VNFLOW_ALLOW_PACKAGE_CODE === '1',
    registryCopyLimitBytes: (env.VNFLOW_REGISTRY_COPY_MIB ?? DEFAULT_REGISTRY_COPY_MIB) * 1024 * 1024,
    build: env.VNFLOW_BUILD_ID ?? readBuildId(),
    traces: readTraceSettings(environment),
    backups: {
      everySeconds:
        env.VNFLOW_BACKUP_HOURS === undefined
          ? DEFAULT_BACKUPS.everySeconds
          : Math.round(env.VNFLOW_BACKUP_HOURS * 3600),
      keep: env.VNFLOW_BACKUPS_KEPT ?? DEFAULT_BACKUPS.keep,
    },
  };
}

/**
 * Reads where a namespace of Temporal is reached, and how.
 * @throws Error that names the variable and its allowed values
 */
export function readTemporalNamespace(environment: NodeJS.ProcessEnv): { namespace: string; access: TemporalAccess } {
  const { TEMPORAL_NAMESPACE: namespace = 'default', ...env } = readEnvironment(environment);
  return { namespace, access: temporalAccess(env) };
}

function readEnvironment(environment: NodeJS.ProcessEnv): z.infer<typeof Environment> {
  const parsed = Environment.safeParse({ ...environment, ...secretsFromFiles(environment) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`The environment variable ${issue?.path.join('.') ?? ''} cannot be used: ${issue?.message ?? ''}`);
}

function listenOf(text: string): { host: string; port: number } {
  const { host = '', port } = LISTEN.exec(text)?.groups ?? {};
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** Variables that are secrets, or may hold one. */
const SECRETS = ['DATABASE_URL', 'VNFLOW_MASTER_KEY', 'VNFLOW_BASTION_PASSWORD', 'TEMPORAL_API_KEY'] as const;

/** Reads secrets from the files that `…_FILE` variables name, as containers get them: the environment is seen by many. */
function secretsFromFiles(environment: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    if (environment[name]) throw new Error(`Set ${name} or ${name}_FILE, not both.`);
    try {
      found[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new Error(`${name}_FILE: ${file} cannot be read.`, { cause: error });
    }
  }
  return found;
}

function tlsOf({ VNFLOW_TLS_CERT_FILE: certFile, VNFLOW_TLS_KEY_FILE: keyFile }: z.infer<typeof Environment>) {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === keyFile) return undefined;
  throw new Error('Set VNFLOW_TLS_CERT_FILE and VNFLOW_TLS_KEY_FILE, or neither.');
}

/** Reads CA certificates, and refuses a file without one: it would make each connection fail later. */
function readAuthorities(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new Error(`OS_CACERT: ${file} is no readable file of CA certificates in PEM.`, { cause: error });
  }
}

/** The hosts of Temporal and PostgreSQL: no VIM and no package may be there. */
function internalHosts({ TEMPORAL_ADDRESS: temporal, DATABASE_URL: database }: z.infer<typeof Environment>): string[] {
  return [
    ...(temporal === undefined ? [] : [temporal.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')]),
    ...(database === undefined ? [] : [hostOf(new URL(database))]),
  ];
}

function bastionOf(text: string, env: z.infer<typeof Environment>): Bastion {
  const { username = '', host = '', port } = BASTION.exec(text)?.groups ?? {};
  return {
    username,
    host,
    port: Number(port ?? 22),
    ...(env.VNFLOW_BASTION_HOST_KEY === undefined ? {} : { hostKeys: env.VNFLOW_BASTION_HOST_KEY.split(',') }),
    ...(env.VNFLOW_BASTION_PASSWORD === undefined ? {} : { password: env.VNFLOW_BASTION_PASSWORD }),
    ...(env.VNFLOW_BASTION_KEY_FILE === undefined ? {} : { privateKey: readPrivateKey(env.VNFLOW_BASTION_KEY_FILE) }),
  };
}

/** Refuses a key with which no login could begin: each operation would fail at its first node. */
function readPrivateKey(file: string): string {
  const key = readFileSync(file, 'utf8');
  const sentence = privateKeyProblem(key);
  if (sentence === undefined) return key;
  throw new Error(`VNFLOW_BASTION_KEY_FILE: what ${file} holds ${sentence}.`);
}
