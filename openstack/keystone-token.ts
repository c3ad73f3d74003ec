import { createAnswerProblem, createProtocolProblem } from './failures.ts';
import { type CallOptions, parseToken, tokensUrl } from './keystone.ts';
import { createTransport, describeCall, type Transport, type TransportOptions } from './transport.ts';

/** The user that a token was issued to, and its scope. */
export interface TokenOwner {
  readonly userId: string;
  readonly userName: string;
  readonly projectId?: string;
  readonly projectName?: string;
  readonly roles: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface ValidateOptions extends CallOptions, TransportOptions {
  readonly transport?: Transport;
}

/**
 * Asks Keystone to validate a token. The token itself authorises the question.
 * @returns undefined when the token is invalid, revoked or expired
 * @throws VnflowError VIM_UNREACHABLE or VIM_BUSY when Keystone gives no answer, VIM_PROTOCOL when its answer is
 * unusable
 */
export async function validateToken(
  authUrl: string,
  token: string,
  options: ValidateOptions = {},
): Promise<TokenOwner | undefined> {
  if (!/^[\x21-\x7e]{1,8000}$/.test(token)) return undefined; // not fit for an HTTP header, of which Keystone takes 8 KiB
  const url = tokensUrl(authUrl);
  const call = describeCall('Keystone', 'GET', url);
  const transport = options.transport ?? createTransport(options);
  const answer = await transport({
    method: 'GET',
    url,
    service: 'Keystone',
    headers: { 'X-Auth-Token': token, 'X-Subject-Token': token },
    timeoutMs: options.timeoutMs ?? 10_000,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if ([400, 401, 403, 404, 431].includes(answer.status)) return undefined;
  if (answer.status !== 200) throw createAnswerProblem(call, answer, [token]);
  const found = parseToken(answer.body);
  const expiresAt = Date.parse(found?.expires_at ?? '');
  if (!found || Number.isNaN(expiresAt)) throw createProtocolProblem(call, 'an answer that is no token');
  if (expiresAt <= Date.now()) return undefined;
  const { user, project, roles } = found;
  return {
    userId: user.id,
    userName: user.name,
    ...(project ? { projectId: project.id, projectName: project.name } : {}),
    roles: roles.map(({ name }) => name),
    expiresAt,
  };
}
