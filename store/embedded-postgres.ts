import { fdatasyncSync, fsyncSync, mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DEFAULT_DURABILITY, type Durability, flushTreeToDisk } from './durability.ts';

/** What we use of Emscripten's module: PGlite's own type leaves the file systems out. */
interface EmscriptenModule {
  readonly FS: { isDir(mode: number): boolean };
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: OpenFile) => number };
    /** Makes an error of Node.js one that Postgres understands. */
    tryFSOperation(work: () => void): void;
  };
}

interface OpenFile {
  readonly node: { readonly mode: number };
  /** Node's file descriptor. */
  readonly nfd: number;
}

/**
 * Emscripten's file system on a real directory has no fsync: what Postgres asks to be flushed is answered as done. Here it is done.
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

/** `-F` is fsync=off. `wal_sync_method` fdatasync would do nothing: Emscripten answers that call by itself. */
const FLUSHING = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'];

/**
 * PostgreSQL inside this process.
 * @param directory none: in memory
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
  flushTreeToDisk(directory); // a new database is written without fsync, and so is all of one that ran in `process`
  return pglite;
}
