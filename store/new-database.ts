import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/**
 * Reads the archive of a new, empty database. A database that begins with it is there in less than a second, because
 * initdb, which takes four seconds of processor time, is not run again.
 * @param directory of the archives, one for each version of Postgres. A missing archive is made first.
 * @returns a tar archive of the data directory, for `loadDataDir` of PGlite
 * @throws Error when the directory cannot be written
 */
export async function newDatabaseArchive(directory: string): Promise<Blob> {
  const file = path.join(directory, `${PGLITE_VERSION}.tar`);
  if (!existsSync(file)) await makeArchive(file);
  return new Blob([readFileSync(file)]);
}

/** The data directory of another version of PGlite may have another format. */
const PGLITE_VERSION = `pglite-${versionOfPGlite()}`;

function versionOfPGlite(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')), 'utf8'),
  );
  return String(version);
}

async function makeArchive(file: string): Promise<void> {
  const pglite = await PGlite.create();
  const archive = await pglite.dumpDataDir('none');
  await pglite.close();
  mkdirSync(path.dirname(file), { recursive: true });
  // another process may make it at this moment: a rename replaces the whole file, or nothing
  const part = `${file}.${process.pid}`;
  writeFileSync(part, Buffer.from(await archive.arrayBuffer()), { mode: 0o600 });
  renameSync(part, file);
}
