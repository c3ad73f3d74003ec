import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { identityOf, isAlive, ProcessIdentity } from './process-identity.ts';

/**
 * Locks a data directory for one `vnflow up`, because two would write into one store.
 * @returns a function that releases the lock
 * @throws Error that names the process that holds the lock
 */
export function lockData(data: string): () => void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = path.join(data, 'up.lock');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  try {
    while (!linked(mine, file)) {
      const holder = holderOf(file);
      if (holder && isAlive(holder)) {
        throw new Error(
          `vnflow is already up on ${data} (process ${holder.pid}). \`vnflow env --data ${data}\` prints its addresses.`,
        );
      }
      setAside(file);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(file, { force: true });
}

/** link() creates the file together with its content, or fails. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(file: string): ProcessIdentity | undefined {
  try {
    return ProcessIdentity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Sets aside the lock of a process that was killed. Of several processes that try it, one succeeds. */
function setAside(file: string): void {
  const aside = `${file}.left-behind.${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch {
    // another process was faster
  }
}
