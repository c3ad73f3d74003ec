import { type ProblemCode, VnflowError } from '../domain/problems.ts';
import { serviceWords } from './words.ts';

/** Where a call went, for messages. The URL is without user info and query. */
export interface Call {
  readonly service: string;
  readonly method: string;
  readonly url: string;
}

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  401: 'VIM_CREDENTIALS',
  403: 'VIM_FORBIDDEN',
  404: 'VIM_NOT_FOUND',
  408: 'VIM_UNREACHABLE',
  429: 'VIM_BUSY',
};

/** Words of a 409 that goes away by itself, because another action on the object is still under way. */
const UNDER_WAY = /in progress|task_state|is currently|try again/i;

/** Translates a failed answer into a problem. @param hide secrets that the service might repeat in its answer */
export function createAnswerProblem(call: Call, answer: FailedAnswer, hide: readonly string[]): VnflowError {
  const { words, type } = serviceWords(answer);
  const redacted = redactSecrets(words, hide);
  const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after']);
  return new VnflowError(codeOf(answer.status, { words, type, retryAfterSeconds }), {
    detail: `${call.service}: ${redacted || `status ${answer.status} without an explanation`} (${call.method} gave ${answer.status})`,
    seen: [`${call.method} ${call.url}`, requestId(answer), type].filter(Boolean).join(' '),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function codeOf(
  status: number,
  {
    words,
    type,
    retryAfterSeconds,
  }: { words: string; type: string | undefined; retryAfterSeconds: number | undefined },
): ProblemCode {
  const byStatus = BY_STATUS[status];
  if (byStatus) return byStatus;
  if (status === 409) return type === 'ActionInProgress' || UNDER_WAY.test(words) ? 'VIM_BUSY' : 'VIM_REJECTED';
  if (status >= 500) return status === 503 && retryAfterSeconds !== undefined ? 'VIM_BUSY' : 'VIM_UNREACHABLE';
  return status >= 400 ? 'VIM_REJECTED' : 'VIM_PROTOCOL';
}

/**
 * Translates a call that got no answer into a problem. It takes only the code of the error: the error of axios itself
 * holds the token and the body.
 */
export function createConnectionProblem(call: Call, error: unknown): VnflowError {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
  if (code === 'ERR_FR_MAX_CONTENT_LENGTH_EXCEEDED' || code === 'ERR_BAD_RESPONSE') {
    return createProtocolProblem(call, 'an answer that is too large or cut off');
  }
  return new VnflowError('VIM_UNREACHABLE', {
    detail: `${call.service} does not answer at ${call.url}: ${REASONS[code] ?? code}.`,
    seen: `${call.method} ${call.url} ${code}`,
  });
}

const GIVE_CA =
  'give the CA certificate (interfaceInfo.ssl_ca_cert, auth_cred.ssl_ca_cert of a registered VIM, or OS_CACERT of vnflow)';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the name service does not answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ECONNABORTED: 'time-out',
  ETIMEDOUT: 'time-out',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its TLS certificate is self-signed; ${GIVE_CA}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its TLS certificate is signed by an unknown CA; ${GIVE_CA}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its TLS certificate is signed by an unknown CA; ${GIVE_CA}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its TLS certificate is signed by an unknown CA; ${GIVE_CA}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host name',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
};

export function createProtocolProblem(call: Call, what: string): VnflowError {
  return new VnflowError('VIM_PROTOCOL', { detail: `${call.service} gave ${what} (${call.method} ${call.url}).` });
}

/** Only an id as OpenStack's services make it: the header of anything else is not shown. */
function requestId({ headers }: FailedAnswer): string | undefined {
  return /^req-[0-9a-f-]{36}$/.exec(headers['x-openstack-request-id'] ?? '')?.[0];
}

/** The host of a VIM, or of its service catalogue, is not one that vnflow connects to. */
export function createAddressProblem({ service, url }: Call, reason: string): VnflowError {
  const host = URL.canParse(url) ? new URL(url).host : url;
  return new VnflowError('VIM_ADDRESS', { detail: `${service}: vnflow does not connect to ${host}: it is ${reason}.` });
}

function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 600) : undefined;
}

function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret.length >= 3).reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
