import { VnflowError } from '../domain/problems.ts';
import { parseAnswer } from './answer-json.ts';
import { createAnswerProblem, createProtocolProblem } from './failures.ts';
import { type Token, tokenSchema } from './schemas.ts';
import { describeCall, type Transport, type TransportOptions } from './transport.ts';

export interface Credentials extends TransportOptions {
  /** With or without `/v3`. */
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly project: string;
  readonly userDomain: string;
  readonly projectDomain: string;
  readonly region?: string;
}

export interface IssuedToken {
  /** The secret itself. */
  readonly value: string;
  readonly token: Token;
  readonly expiresAt: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole answer. Default 30,000. */
  readonly timeoutMs?: number;
}

/** A token is not used for longer, whatever time the VIM gives it. */
const LONGEST_TOKEN_MS = 24 * 3_600_000;

/**
 * The URL of `/v3/auth/tokens` for an `authUrl` with or without `/v3`.
 * @throws VnflowError VIM_REJECTED when it is no plain http(s) URL
 */
export function tokensUrl(authUrl: string): string {
  const url = URL.canParse(authUrl) ? new URL(authUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new VnflowError('VIM_REJECTED', { detail: 'The endpoint of the VIM is not an http or https URL.' });
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(authUrl)) {
    throw new VnflowError('VIM_REJECTED', {
      detail: 'The endpoint of the VIM has user info, a query or a fragment; give the URL of its Keystone only.',
    });
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v3(\/auth\/tokens)?$/, '');
  return `${url.origin}${path}/v3/auth/tokens`;
}

/**
 * Gets a token for a user in a project by password.
 * @throws VnflowError VIM_CREDENTIALS, VIM_UNREACHABLE, VIM_BUSY, VIM_REJECTED, VIM_PROTOCOL
 */
export async function issueToken(
  transport: Transport,
  credentials: Credentials,
  options: CallOptions = {},
): Promise<IssuedToken> {
  const url = tokensUrl(credentials.authUrl);
  const call = describeCall('Keystone', 'POST', url);
  const answer = await transport({
    method: 'POST',
    url,
    service: 'Keystone',
    headers: { 'Content-Type': 'application/json' },
    data: JSON.stringify({ auth: passwordAuth(credentials) }),
    timeoutMs: options.timeoutMs ?? 30_000,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (answer.status === 401) throw createRefusedLoginProblem(credentials, url);
  if (answer.status !== 201) throw createAnswerProblem(call, answer, [credentials.password]);
  const value = answer.headers['x-subject-token'];
  const token = parseToken(answer.body);
  const expiresAt = Math.min(Date.parse(token?.expires_at ?? ''), Date.now() + LONGEST_TOKEN_MS);
  if (!value || !token || Number.isNaN(expiresAt)) throw createProtocolProblem(call, 'no usable token');
  return { value, token, expiresAt };
}

function passwordAuth({ username, password, userDomain, project, projectDomain }: Credentials): object {
  return {
    identity: { methods: ['password'], password: { user: { name: username, domain: { name: userDomain }, password } } },
    scope: { project: { name: project, domain: { name: projectDomain } } },
  };
}

function createRefusedLoginProblem(
  { username, userDomain, project, projectDomain }: Credentials,
  url: string,
): VnflowError {
  return new VnflowError('VIM_CREDENTIALS', {
    detail: `Keystone refused user "${username}" (domain "${userDomain}") in project "${project}" (domain "${projectDomain}").`,
    seen: `POST ${url} gave 401`,
  });
}

/** Reads the token in an answer of Keystone. @returns undefined when the body holds no token */
export function parseToken(body: string): Token | undefined {
  return tokenSchema.safeParse(parseAnswer(body)).data?.token;
}
