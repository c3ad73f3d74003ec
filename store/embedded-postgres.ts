import { fdatasyncSync, fsyncSync, mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DEFAULT_DURABILITY, type Durability, flushTreeToDisk } from './durability.ts';

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

/**
 * PostgreSQL inside this process.
 * @param directory of the database; undefined: the database is in memory
 * @throws Error when the directory cannot be used
 */
export async function openEmbeddedPostgres(
  directory: string | undefined,
  durability: Durability = DEFAULT_DURABILITY,
): Promise<PGlite> {
  if (directory === undefined) return PGlite.create();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (durability === 'process') return PGlite.create({ dataDir: directory });
  const startParams = [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), ...FLUSHING];
  const pglite = await PGlite.create({ fs: new FlushingFiles(directory), startParams });
  flushTreeToDisk(directory); // a new database is written without fsync, and so is a database that ran with `process`
  return pglite;
}
