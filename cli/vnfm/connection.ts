import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../up/process-identity.ts';
import { readUpRecord, type UpRecord } from '../up/up-record.ts';
import { readCloud } from './clouds-file.ts';
import { CliFailure } from './failure.ts';

/** A user for Keystone's password method. */
export interface KeystoneUser {
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly project: string;
  readonly userDomain: string;
  readonly projectDomain: string;
}

/** A login that a user has made for a program, with the project and the roles in it. */
export interface ApplicationCredential {
  readonly authUrl: string;
  readonly secret: string;
  /** By its id, or by its name and the name of its user. */
  readonly credential:
    | { readonly id: string }
    | { readonly name: string; readonly username: string; readonly userDomain: string };
}

/** The address of the API and the identity of its user. */
export interface ApiConnection {
  readonly url: string;
  readonly identity: { readonly user: KeystoneUser | ApplicationCredential } | { readonly token: string };
  /** CA certificates in PEM, for Keystone and the API, besides those of Node. */
  readonly caCert?: string;
}

/** The user of the simulator's project that stands for an operator. Not a secret: it lives on loopback only. */
const SIMULATOR_USER = { username: 'nfv_user', password: 'devstack', project: 'nfv' };

/** Reads the record of the `vnflow up` that runs on this data directory. @throws CliFailure when none runs */
export function runningUp(data: string): UpRecord & { readonly apiUrl: string } {
  const record = readUpRecord(path.resolve(data));
  const { apiUrl } = record ?? {};
  if (!record || apiUrl === undefined || !isAlive(record.process)) {
    throw new CliFailure(
      `vnflow is not up on ${data}. Start it with \`vnflow up\`, or set VNFM_URL and OS_CLOUD (or OS_*) for a vnflow that runs elsewhere.`,
    );
  }
  return { ...record, apiUrl };
}

/**
 * Finds the connection: VNFM_URL with OS_CLOUD, OS_* or VNFM_TOKEN of the environment; without VNFM_URL, the `vnflow up`
 * of the data directory.
 * @throws CliFailure that names the missing variable
 */
export function connectionFrom(environment: NodeJS.ProcessEnv, data: string): ApiConnection {
  const variables = withFiles({ ...environment, ...readCloud(environment) });
  const url = variables['VNFM_URL'];
  if (url) return { url, identity: identityFrom(variables), ...authorityFrom(variables) };
  const record = runningUp(data);
  if (record.simulator) return { url: record.apiUrl, identity: { user: simulatorUser(record.simulator.authUrl) } };
  return { url: record.apiUrl, identity: identityFrom(variables), ...authorityFrom(variables) };
}

export function simulatorUser(authUrl: string): KeystoneUser {
  return { authUrl, ...SIMULATOR_USER, userDomain: 'Default', projectDomain: 'Default' };
}

/** Variables that are secrets. Each can be given as a file, too: the environment is seen by many. */
const SECRETS = ['OS_PASSWORD', 'OS_APPLICATION_CREDENTIAL_SECRET', 'VNFM_TOKEN'] as const;

function withFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = SECRETS.flatMap((name) => {
    const file = environment[`${name}_FILE`];
    return file && !environment[name] ? [[name, readText(`${name}_FILE`, file).trim()] as const] : [];
  });
  return { ...environment, ...Object.fromEntries(read) };
}

function readText(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CliFailure(`${variable}: ${file} cannot be read.`);
  }
}

function authorityFrom({ OS_CACERT: file }: NodeJS.ProcessEnv): Pick<ApiConnection, 'caCert'> {
  return file ? { caCert: readText('OS_CACERT', file) } : {};
}

function identityFrom(environment: NodeJS.ProcessEnv): ApiConnection['identity'] {
  const token = environment['VNFM_TOKEN'];
  if (!environment['OS_AUTH_URL'] && token) return { token };
  const needed = (name: string): string => {
    const value = environment[name];
    if (value) return value;
    throw new CliFailure(
      `${name} is not set: vnflow needs OS_CLOUD, or OS_AUTH_URL with OS_USERNAME, OS_PASSWORD and OS_PROJECT_NAME, or OS_AUTH_URL with OS_APPLICATION_CREDENTIAL_ID and OS_APPLICATION_CREDENTIAL_SECRET.`,
    );
  };
  const authUrl = needed('OS_AUTH_URL');
  const userDomain = environment['OS_USER_DOMAIN_NAME'] || 'Default';
  const { OS_APPLICATION_CREDENTIAL_ID: id, OS_APPLICATION_CREDENTIAL_NAME: name } = environment;
  if (id || name) {
    const secret = needed('OS_APPLICATION_CREDENTIAL_SECRET');
    const credential = id ? { id } : { name: name ?? '', username: needed('OS_USERNAME'), userDomain };
    return { user: { authUrl, secret, credential } };
  }
  return {
    user: {
      authUrl,
      username: needed('OS_USERNAME'),
      password: needed('OS_PASSWORD'),
      project: needed('OS_PROJECT_NAME'),
      userDomain,
      projectDomain: environment['OS_PROJECT_DOMAIN_NAME'] || 'Default',
    },
  };
}
