import { compareSync } from 'bcryptjs';

/** The login that a registry asks for, `REGISTRY_AUTH=htpasswd`. */
export interface RegistryLogin {
  readonly realm: string;
  /** Content of the htpasswd file. */
  readonly htpasswd: string;
}

/** Results of comparisons, because bcrypt is slow on purpose. The key has the hash, so a new file is compared anew. */
const compared = new Map<string, boolean>();

/** Whether the user and the password of a header are in the file. The registry reads entries of bcrypt only. */
export function mayEnter({ htpasswd }: RegistryLogin, authorization: string | undefined): boolean {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(authorization ?? '') ?? [];
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const entry = htpasswd.split('\n').find((line) => user !== '' && line.startsWith(`${user}:`));
  const hash = entry?.slice(user.length + 1).trim();
  if (hash === undefined || !/^\$2[aby]?\$/.test(hash)) return false;
  const key = `${hash} ${password}`;
  const known = compared.get(key) ?? compareSync(password, hash);
  compared.set(key, known);
  return known;
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
