import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { TemporalAccess } from '../engine/temporal-access.ts';
import { optionalVariable } from './optional-variable.ts';

/**
 * The variables of Temporal's own clients (docs.temporal.io, "Environment configuration"). `VNFLOW` has none of its own
 * for this, so that one environment serves `temporal` and vnflow.
 */
export const TEMPORAL_VARIABLES = {
  TEMPORAL_API_KEY: optionalVariable(z.string().min(1)),
  TEMPORAL_TLS: optionalVariable(z.stringbool({ error: 'must be true or false' })),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optionalVariable(z.string()),
  TEMPORAL_TLS_SERVER_NAME: optionalVariable(z.string()),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optionalVariable(z.string()),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optionalVariable(z.string()),
};

const Variables = z.object(TEMPORAL_VARIABLES).extend({ TEMPORAL_ADDRESS: z.string().optional() });

/**
 * Reads how to connect to Temporal. TLS is on when a variable of it is set, or an API key, which must not cross the
 * network in clear.
 * @throws Error that names the variable whose file cannot be read, or that is missing
 */
export function temporalAccess(env: z.infer<typeof Variables>): TemporalAccess {
  const {
    TEMPORAL_API_KEY: apiKey,
    TEMPORAL_TLS: wanted,
    TEMPORAL_TLS_SERVER_NAME: serverName,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  } = env;
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or neither.');
  const crt = fileOf(env, 'TEMPORAL_TLS_CLIENT_CERT_PATH');
  const clientKey = fileOf(env, 'TEMPORAL_TLS_CLIENT_KEY_PATH');
  const authority = fileOf(env, 'TEMPORAL_TLS_SERVER_CA_CERT_PATH');
  const tls = {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(authority === undefined ? {} : { serverRootCACertificate: authority }),
    ...(crt === undefined || clientKey === undefined ? {} : { clientCertPair: { crt, key: clientKey } }),
  };
  const isOn = wanted ?? (apiKey !== undefined || Object.keys(tls).length > 0);
  if (!isOn && (apiKey !== undefined || Object.keys(tls).length > 0))
    throw new Error(
      'TEMPORAL_TLS is false, but other TEMPORAL_TLS_* variables or an API key are set. Unset one of them.',
    );
  if (isOn && serverName === undefined && isAddress(env.TEMPORAL_ADDRESS)) {
    throw new Error(
      `TEMPORAL_ADDRESS=${env.TEMPORAL_ADDRESS} is an IP address: for TLS, give a host name, or set TEMPORAL_TLS_SERVER_NAME to a name in the certificate of the server.`,
    );
  }
  return { ...(isOn ? { tls } : {}), ...(apiKey === undefined ? {} : { apiKey }) };
}

/** The gRPC client of Node.js cannot check the certificate of an IP address: Node refuses one as name for TLS. */
function isAddress(hostAndPort = ''): boolean {
  return isIP(hostAndPort.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) !== 0;
}

type FileVariable =
  | 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'
  | 'TEMPORAL_TLS_CLIENT_CERT_PATH'
  | 'TEMPORAL_TLS_CLIENT_KEY_PATH';

function fileOf(env: z.infer<typeof Variables>, name: FileVariable): Buffer | undefined {
  const file = env[name];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`${name}: ${file} cannot be read.`, { cause: error });
  }
}
