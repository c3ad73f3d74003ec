import { isReachedDirectly, type NodeProxy } from '../../node-proxy.ts';
import type { ProblemCode } from '../../problems.ts';
import { hostOf, isTls, type RegistryConnection, registryUrl } from './registry-connections.ts';

/**
 * The check of a registry from a node, with curl, and what its result means. curl reads everything from standard input,
 * so no argument has a password.
 */

const SECONDS = 20;
const STATUS = 'vnflow-status:';

interface ProbeFacts {
  /** Path of the certificate of the registry's authority on the node. */
  readonly authorityFile?: string | undefined;
  /** The proxy of the node's container runtime. */
  readonly proxy?: NodeProxy | undefined;
  /** Where the registry sends its clients for a token. Undefined: the registry itself is asked. */
  readonly tokenUrl?: string | undefined;
}

/** The configuration of curl for `GET /v2/` of a registry, or for a token that it wants. It may hold a password. */
export function probeConfig(connection: RegistryConnection, { authorityFile, proxy, tokenUrl }: ProbeFacts): string {
  const { username, password } = connection;
  const url = new URL(tokenUrl ?? `${registryUrl(connection)}/v2/`);
  const host = hostOf(connection);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const isDirect = !proxy || isReachedDirectly(url.hostname, proxy.exceptions);
  const through = url.protocol === 'https:' ? (proxy?.https ?? proxy?.http) : proxy?.http;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['url', url.href],
    ['output', '/dev/null'],
    ['dump-header', '-'],
    ['write-out', `\\n${STATUS}%{http_code}\\n`],
    ['connect-timeout', String(SECONDS / 2)],
    ['max-time', String(SECONDS)],
    ['resolve', host && `${host.name}:${port}:${host.address}`],
    ['cacert', authorityFile],
    ['user', username === undefined ? undefined : `${username}:${password}`],
    ...(isDirect || through === undefined ? ([['noproxy', '*']] as const) : ([['proxy', through]] as const)),
  ];
  const lines = options.flatMap(([name, value]) => (value === undefined ? [] : [`${name} = ${quoted(name, value)}`]));
  return `${['silent', 'show-error', ...lines].join('\n')}\n`;
}

/** In a quoted value of curl's configuration a backslash and a quotation mark are escaped. */
function quoted(name: string, value: string): string {
  return name === 'write-out' ? `"${value}"` : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** What curl said. */
export interface ProbeOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type ProbeResult =
  | { readonly kind: 'usable' }
  /** The registry wants a token from this URL. */
  | { readonly kind: 'token'; readonly url: string }
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly sentence: string };

/** @param isToken true when the answer is that of the token's URL */
export function readProbe(connection: RegistryConnection, output: ProbeOutput, isToken: boolean): ProbeResult {
  if (output.code !== 0) return unanswered(connection, output);
  const status = Number(new RegExp(`^${STATUS}(\\d+)$`, 'm').exec(output.stdout)?.[1] ?? '0');
  if (status === 200) return { kind: 'usable' };
  if (status === 401 || status === 403) {
    const url = isToken ? undefined : tokenUrlIn(output.stdout);
    if (url !== undefined) return { kind: 'token', url };
    const sentence =
      connection.username === undefined
        ? 'it asks for a login, and the connection has no username'
        : 'it refuses the user name or the password';
    return problem('REGISTRY_LOGIN', sentence);
  }
  const byProxy = status === 407 ? ': the proxy refuses its login' : '';
  return problem('REGISTRY_UNREACHABLE', `no registry answers there, but something with status ${status}${byProxy}`);
}

/** The URL in `WWW-Authenticate: Bearer realm="…",service="…"`. Undefined when the registry wants no token. */
function tokenUrlIn(headers: string): string | undefined {
  const challenge = /^www-authenticate:\s*bearer\s+(.*)$/im.exec(headers)?.[1] ?? '';
  const realm = /realm="([^"]*)"/i.exec(challenge)?.[1] ?? '';
  if (!/^https?:\/\//i.test(realm) || !URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  const service = /service="([^"]*)"/i.exec(challenge)?.[1];
  if (service !== undefined) url.searchParams.set('service', service);
  return url.href;
}

/** Exit codes of curl that say something about the certificate of the other side: 60; of our own authority's file: 77. */
const UNTRUSTED = new Set([51, 60, 77]);

function unanswered(connection: RegistryConnection, { code, stderr }: ProbeOutput): ProbeResult {
  // more lines of advice may follow
  const said = /^curl: \(\d+\) (.*)$/m.exec(stderr)?.[1] ?? '';
  const words = said === '' ? `curl ended with ${code}` : said.slice(0, 300);
  if (UNTRUSTED.has(code)) {
    return /expired|not yet valid/i.test(said)
      ? problem('REGISTRY_CERTIFICATE_EXPIRED', `its certificate has expired, or that of its authority: ${words}`)
      : problem('REGISTRY_UNTRUSTED', `its certificate is not trusted${authorityOf(connection)}: ${words}`);
  }
  const hint = /wrong version number/i.test(said) ? '; it seems to speak HTTP (connection_type 0)' : '';
  return problem(
    'REGISTRY_UNREACHABLE',
    `it does not answer over ${isTls(connection) ? 'HTTPS' : 'HTTP'}: ${words}${hint}`,
  );
}

function authorityOf({ certificate_path, certificate }: RegistryConnection): string {
  const given = certificate_path ?? (certificate === undefined ? undefined : 'the request');
  return given === undefined ? ', and the connection has no certificate_path' : ` with the authority of ${given}`;
}

function problem(code: ProblemCode, sentence: string): ProbeResult {
  return { kind: 'problem', code, sentence };
}
