/** Member names whose values are secrets wherever they stand in a request. */
const SECRET_MEMBER = /pass(word|wd|phrase)|secret|token$|private_?key|bearer|credential|^clientPassword$/i;

/** Is the value of a member with this name a secret? (`oidc_token_url` and `tokenEndpoint` are not.) */
export function isSecretMember(name: string): boolean {
  return SECRET_MEMBER.test(name);
}

/** A copy without secret members, at any depth, as Tacker leaves them out of its answers. */
export function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isSecretMember(name) ? [] : [[name, withoutSecrets(member) as unknown]],
    ),
  ) as T;
}

/** All secret values (strings of four or more characters) in a value: to be taken out of anything that is shown. */
export function secretValues(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(secretValues);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isSecretMember(name) && typeof member === 'string' ? (member.length >= 4 ? [member] : []) : secretValues(member),
  );
}
