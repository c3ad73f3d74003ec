import path from 'node:path';
import { isAlive } from '../up/process-identity.ts';
import { readUpRecord, type UpRecord } from '../up/up-record.ts';
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

/** The address of the API and the identity of its user. */
export interface ApiConnection {
  readonly url: string;
  readonly identity: { readonly user: KeystoneUser } | { readonly token: string };
}

/** The user of the simulator's project that stands for an operator. Not a secret: it lives on loopback only. */
const SIMULATOR_USER = { username: 'nfv_user', password: 'devstack', project: 'nfv' };

/** Reads the record of the `vnflow up` that runs on this data directory. @throws CliFailure when none runs */
export function runningUp(data: string): UpRecord & { readonly apiUrl: string } {
  const record = readUpRecord(path.resolve(data));
  const { apiUrl } = record ?? {};
  if (!record || apiUrl === undefined || !isAlive(record.process)) {
    throw new CliFailure(
      `vnflow is not up on ${data}. Start it with \`npx vnflow up\`, or set VNFM_URL and OS_* for a vnflow that runs elsewhere.`,
    );
  }
  return { ...record, apiUrl };
}

/**
 * Finds the connection: VNFM_URL with OS_* (or VNFM_TOKEN) of the environment; without VNFM_URL, the `vnflow up` of the
 * data directory.
 * @throws CliFailure that names the missing variable
 */
export function connectionFrom(environment: NodeJS.ProcessEnv, data: string): ApiConnection {
  const url = environment['VNFM_URL'];
  if (url) return { url, identity: identityFrom(environment) };
  const record = runningUp(data);
  const identity = record.simulator ? { user: simulatorUser(record.simulator.authUrl) } : identityFrom(environment);
  return { url: record.apiUrl, identity };
}

export function simulatorUser(authUrl: string): KeystoneUser {
  return { authUrl, ...SIMULATOR_USER, userDomain: 'Default', projectDomain: 'Default' };
}

function identityFrom(environment: NodeJS.ProcessEnv): ApiConnection['identity'] {
  const token = environment['VNFM_TOKEN'];
  if (!environment['OS_AUTH_URL'] && token) return { token };
  const needed = (name: string): string => {
    const value = environment[name];
    if (value) return value;
    throw new CliFailure(`${name} is not set: vnflow needs OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME.`);
  };
  const user = {
    authUrl: needed('OS_AUTH_URL'),
    username: needed('OS_USERNAME'),
    password: needed('OS_PASSWORD'),
    project: needed('OS_PROJECT_NAME'),
    userDomain: environment['OS_USER_DOMAIN_NAME'] || 'Default',
    projectDomain: environment['OS_PROJECT_DOMAIN_NAME'] || 'Default',
  };
  return { user };
}
