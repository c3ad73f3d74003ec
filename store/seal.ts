import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flushToDisk } from './durability.ts';

/** The 32 bytes under which secrets are sealed. `older` keys open what was sealed under them, and seal nothing. */
export type MasterKey = Buffer & { readonly older?: readonly Buffer[] };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Reads the master key from `VNFLOW_MASTER_KEY` (32 bytes in base64), or else from a key file, which is created at
 * first use. Both may have several keys: the first one seals, the others only open.
 * @throws Error when the key has the wrong length or the file can be read by others
 */
export function masterKey(environment: { VNFLOW_MASTER_KEY?: string | undefined }, keyFile: string): MasterKey {
  if (environment.VNFLOW_MASTER_KEY !== undefined)
    return checkedKey(environment.VNFLOW_MASTER_KEY, 'VNFLOW_MASTER_KEY');
  if (!existsSync(keyFile)) {
    mkdirSync(path.dirname(keyFile), { recursive: true, mode: 0o700 });
    writeFileSync(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(keyFile, 0o600);
    for (const name of [keyFile, path.dirname(keyFile)]) flushToDisk(name); // without the key no sealed secret can be opened
  }
  if ((statSync(keyFile).mode & 0o077) !== 0) {
    throw new Error(`${keyFile} can be read by others: chmod 600 it, and think about a new key`);
  }
  return checkedKey(readFileSync(keyFile, 'utf8').trim(), keyFile);
}

function checkedKey(text: string, where: string): MasterKey {
  const [key, ...older] = text.split(/[\s,]+/).map((one) => Buffer.from(one, 'base64'));
  if (key?.length !== 32 || older.some((one) => one.length !== 32))
    throw new Error(`${where} must hold 32 bytes in base64: openssl rand -base64 32`);
  return older.length === 0 ? key : Object.assign(key, { older });
}

/**
 * Makes a new key file, or puts a new key before those of a key file: it seals from now on, and the others still open.
 * @returns the path of the file
 */
export function addKeyToFile(keyFile: string): string {
  const kept = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim().split(/\s+/) : [];
  return writeKeyFile(keyFile, [randomBytes(32).toString('base64'), ...kept]);
}

/** Leaves the first key of a key file: the rows must be sealed under it. */
export function keepFirstKeyOfFile(keyFile: string): void {
  writeKeyFile(keyFile, readFileSync(keyFile, 'utf8').trim().split(/\s+/).slice(0, 1));
}

/** Replaces the file in one step: a file that is cut off would lose every secret. */
function writeKeyFile(keyFile: string, keys: readonly string[]): string {
  const beside = `${keyFile}.new`;
  writeFileSync(beside, `${keys.join('\n')}\n`, { mode: 0o600 });
  flushToDisk(beside);
  renameSync(beside, keyFile);
  flushToDisk(path.dirname(keyFile));
  return keyFile;
}

/** Names a key without saying anything about it: eight hexadecimal digits. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('vnflow master key').update(key).digest('hex').slice(0, 8);
}

/** AES-256-GCM; `name` is authenticated too, so that a sealed secret cannot be put in another's place. */
export function seal(key: MasterKey, name: string, plain: string): Buffer {
  return sealBytes(key, name, Buffer.from(plain, 'utf8'));
}

/** Seals bytes as `seal` seals text. */
export function sealBytes(key: MasterKey, name: string, plain: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Unseals a text. @param id of the key that sealed it, where it is known @throws Error when the text was sealed under another key or name, or its bytes were changed */
export function unseal(key: MasterKey, name: string, sealed: Uint8Array, id?: string | null): string {
  return unsealBytes(key, name, sealed, id).toString('utf8');
}

/** Unseals bytes as `unseal` unseals text. */
export function unsealBytes(key: MasterKey, name: string, sealed: Uint8Array, id?: string | null): Buffer {
  const keys = [key, ...(key.older ?? [])];
  // Builds without key ids overwrite rows and leave the id as it is: a wrong id must not keep a row closed.
  const inOrder = id ? keys.toSorted((a, b) => Number(keyId(b) === id) - Number(keyId(a) === id)) : keys;
  let failure: unknown;
  for (const one of inOrder) {
    try {
      return openUnder(one, name, sealed);
    } catch (error) {
      failure ??= error;
    }
  }
  const known = keys.map(keyId).join(', ');
  if (id && !keys.some((one) => keyId(one) === id))
    throw new Error(`${name} was sealed under the master key ${id}, and this process has ${known}`, { cause: failure });
  throw failure;
}

function openUnder(key: Buffer, name: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
