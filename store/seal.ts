import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flushToDisk } from './durability.ts';

/** The 32 bytes under which all secrets are sealed. */
export type MasterKey = Buffer & { readonly __masterKey?: never };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Reads the master key from `VNFLOW_MASTER_KEY` (32 bytes in base64), or else from a key file, which is created at
 * first use.
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
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(`${where} must hold 32 bytes in base64: openssl rand -base64 32`);
  return key;
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

/** Unseals a text. @throws Error when the text was sealed under another key or name, or its bytes were changed */
export function unseal(key: MasterKey, name: string, sealed: Uint8Array): string {
  return unsealBytes(key, name, sealed).toString('utf8');
}

/** Unseals bytes as `unseal` unseals text. */
export function unsealBytes(key: MasterKey, name: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
