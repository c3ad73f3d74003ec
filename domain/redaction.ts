import { isSecretName, isSecretText } from './secret-names.ts';

/** Members by which lists of parameters name what `value` beside them is: `{"name": "password", "value": …}`. */
const NAMING = new Set(['name', 'key', 'id', 'type', 'parameter', 'parameterkey', 'parametername']);
const NAMED = new Set(['value', 'val', 'data', 'content', 'parametervalue', 'default']);

/** `parameter_name`, `parameterName` and `ParameterName` are one name. */
function asOneWord(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Is the value of a member with this name a secret? (`oidc_token_url` and `tokenEndpoint` are not.) */
export function isSecretMember(name: string): boolean {
  return isSecretName(name);
}

/** The members of an object, each with the answer to whether its value is a secret. */
function membersOf(object: object): [name: string, member: unknown, isSecret: boolean][] {
  const entries = Object.entries(object);
  const namesSecret = entries.some(
    ([name, member]) => NAMING.has(asOneWord(name)) && typeof member === 'string' && isSecretName(member),
  );
  return entries.map(([name, member]) => [
    name,
    member,
    isSecretName(name) || (namesSecret && NAMED.has(asOneWord(name))),
  ]);
}

/** A copy without secret members, at any depth, as Tacker leaves them out of its answers. */
export function withoutSecrets<T>(value: T): T {
  if (typeof value === 'string') return (isSecretText(value) ? '***' : withoutUserInfo(value)) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    membersOf(value).flatMap(([name, member, isSecret]) =>
      isSecret ? [] : [[name, withoutSecrets(member) as unknown]],
    ),
  ) as T;
}

/**
 * A scheme begins where no other scheme character stands before it. Without this condition, a long text of letters and
 * dots was searched from each of them to its end. The user info ends at the last `@` of the authority.
 */
const USER_INFO = /((?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/)([^/?#\s]+)@/gi;

/** A proxy's URL may carry a password: `http://user:password@proxy` becomes `http://***@proxy`. */
function withoutUserInfo(text: string): string {
  return text.replace(USER_INFO, '$1***@');
}

/** All secret values (strings of four or more characters) in a value: to be taken out of anything that is shown. */
export function secretValues(value: unknown): string[] {
  if (typeof value === 'string') {
    if (isSecretText(value)) return [value];
    return [...value.matchAll(USER_INFO)].flatMap(([, , userInfo = '']) => formsOf(userInfo));
  }
  if (Array.isArray(value)) return value.flatMap(secretValues);
  if (typeof value !== 'object' || value === null) return [];
  return membersOf(value).flatMap(([, member, isSecret]) => (isSecret ? stringsIn(member) : secretValues(member)));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 4 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
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
