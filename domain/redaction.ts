/** Member names whose values are secrets wherever they stand in a request. */
const SECRET_MEMBER = /pass(word|wd|phrase)|secret|token$|private_?key|bearer|credential|^clientPassword$/i;

/** Is the value of a member with this name a secret? (`oidc_token_url` and `tokenEndpoint` are not.) */
export function isSecretMember(name: string): boolean {
  return SECRET_MEMBER.test(name);
}

/** A copy without secret members, at any depth, as Tacker leaves them out of its answers. */
export function withoutSecrets<T>(value: T): T {
  if (typeof value === 'string') return withoutUserInfo(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isSecretMember(name) ? [] : [[name, withoutSecrets(member) as unknown]],
    ),
  ) as T;
}

const USER_INFO = /(\b[a-z][a-z0-9+.-]*:\/\/)([^/?#\s@]+)@/gi;

/** A proxy's URL may carry a password: `http://user:password@proxy` becomes `http://***@proxy`. */
function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, '$1***@');
}

/** All secret values (strings of four or more characters) in a value: to be taken out of anything that is shown. */
export function secretValues(value: unknown): string[] {
  if (typeof value === 'string')
    return [...value.matchAll(USER_INFO)].flatMap(([, , userInfo = '']) => formsOf(userInfo));
  if (Array.isArray(value)) return value.flatMap(secretValues);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isSecretMember(name) && typeof member === 'string' ? (member.length >= 4 ? [member] : []) : secretValues(member),
  );
}

/**
 * The forms in which programs print the secret of `user:password`: as in the URL, decoded, and as the header
 * `Proxy-Authorization: Basic` has it. A user name without a password is a token.
 */
function formsOf(userInfo: string): string[] {
  const colon = userInfo.indexOf(':');
  const secret = userInfo.slice(colon + 1);
  if (secret === '') return [];
  const header = Buffer.from(decoded(userInfo)).toString('base64');
  return [...new Set([secret, decoded(secret), header])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}
