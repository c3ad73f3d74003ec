import { existsSync, fdatasyncSync, fsyncSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DEFAULT_DURABILITY, type Durability, flushTreeToDisk } from './durability.ts';
import { newDatabaseArchive } from './new-database.ts';

/** The members of Emscripten's module that we use: the type in PGlite leaves the file systems out. */
interface EmscriptenModule {
  readonly FS: { isDir(mode: number): boolean };
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: OpenFile) => number };
    /** Turns an error of Node.js into one that Postgres understands. */
    tryFSOperation(work: () => void): void;
  };
}

interface OpenFile {
  readonly node: { readonly mode: number };
  /** File descriptor of Node.js. */
  readonly nfd: number;
}

/**
 * Adds fsync to Emscripten's file system on a real directory, which reports a flush as done without doing it.
 * (PGlite 0.5.16, `dist/pglite.js`: `_fd_sync` calls `stream_ops.fsync`, and `NODEFS.stream_ops` has none.)
 */
class FlushingFiles extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(pglite, options);
    const addFsync = (module: unknown) => {
      const { FS, NODEFS } = module as EmscriptenModule;
      NODEFS.stream_ops.fsync = ({ node, nfd }) => {
        NODEFS.tryFSOperation(() => (FS.isDir(node.mode) ? fsyncSync(nfd) : fdatasyncSync(nfd)));
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] } };
  }
}

/**
 * PGlite starts Postgres with `-F`, which is fsync=off. `fdatasync` would do nothing: Emscripten does not pass that
 * call on.
 */
const FLUSHING = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'];

/** Where an embedded database is, and how it is kept. */
export interface EmbeddedDatabase {
  /** Undefined: the database is in memory. */
  readonly directory?: string;
  /** Undefined: `power`. */
  readonly durability?: Durability;
  /** Directory of the archives that new databases begin with. Undefined: initdb makes each new database. */
  readonly archives?: string;
}

/**
 * Opens PostgreSQL inside this process. A database that does not exist is made.
 * @throws Error when the directory cannot be used
 */
export async function openEmbeddedPostgres({
  directory,
  durability = DEFAULT_DURABILITY,
  archives,
}: EmbeddedDatabase): Promise<PGlite> {
  if (directory === undefined) return PGlite.create(await beginning(archives));
  if (!existsSync(path.join(directory, 'PG_VERSION'))) await makeDatabase(directory, archives);
  if (durability === 'process') return PGlite.create({ dataDir: directory });
  const startParams = [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), ...FLUSHING];
  const pglite = await PGlite.create({ fs: new FlushingFiles(directory), startParams });
  flushTreeToDisk(directory); // a new database is written without fsync, and so is a database that ran with `process`
  return pglite;
}

/**
 * Makes a database beside its place and moves it there: a process that dies in between leaves no half of a database.
 */
async function makeDatabase(directory: string, archives: string | undefined): Promise<void> {
  const part = `${directory}.new`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o700 });
  const pglite = await PGlite.create({ dataDir: part, ...(await beginning(archives)) });
  await pglite.close();
  flushTreeToDisk(part);
  renameSync(part, directory);
}

async function beginning(archives: string | undefined): Promise<{ loadDataDir?: Blob }> {
  return archives === undefined ? {} : { loadDataDir: await newDatabaseArchive(archives) };
}
