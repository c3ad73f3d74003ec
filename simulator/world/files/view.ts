import type { IFileSystem } from 'just-bash';
import { unsafeBytesFromLatin1 } from 'just-bash';
import { toBytes, toText } from './bytes.ts';
import {
  allPaths,
  childrenOf,
  type Entry,
  entryAt,
  FileError,
  nameOf,
  normalize,
  parentOf,
  removeAll,
  resolve,
  setEntry,
  type Tree,
} from './tree.ts';

/** The user of a view: decides which files may be read and owns new files. */
export interface Viewer {
  readonly user: string;
  /** The umask for new files. */
  umask: number;
  /** The last refusal. Commands of just-bash print "No such file" for every reason and need it. */
  refused?: { readonly path: string; readonly reason: string };
}

const READ = 4;
const WRITE = 2;
const SEARCH = 1;

/** The files as one user may see them. All methods are synchronous and throw FileError. */
export class View {
  readonly tree: Tree;
  readonly #viewer: Viewer;

  constructor(tree: Tree, viewer: Viewer) {
    this.tree = tree;
    this.#viewer = viewer;
  }

  read(path: string): string {
    const { entry } = this.#need(path, 'open');
    if (entry.kind === 'directory') throw new FileError('EISDIR', 'read', path);
    if (!this.#allowed(entry, READ)) this.#refuse('EACCES', 'open', path);
    return entry.kind === 'file' ? entry.bytes : '';
  }

  readText(path: string): string {
    return toText(this.read(path));
  }

  exists(path: string): boolean {
    try {
      this.#need(path, 'stat');
      return true;
    } catch {
      return false;
    }
  }

  stat(path: string, follow?: boolean): Entry {
    return this.#need(path, 'stat', follow).entry;
  }

  write(path: string, bytes: string, options: { append?: boolean; mode?: number } = {}): void {
    const at = this.#locate(path, 'open');
    const dynamic = this.tree.dynamic.get(at);
    if (dynamic) {
      if (at === '/dev/null' || at === '/dev/full') return;
      if (!dynamic.write || this.#viewer.user !== 'root') this.#refuse('EACCES', 'open', path);
      dynamic.write?.(bytes);
      return;
    }
    const old = entryAt(this.tree, at);
    if (old?.kind === 'directory') throw new FileError('EISDIR', 'open', path);
    if (!old) this.#writableParent(at, path, 'open');
    else if (!this.#allowed(old, WRITE)) this.#refuse('EACCES', 'open', path);
    const before = old?.kind === 'file' ? old.bytes : '';
    if (options.append && bytes === '' && old) return;
    if (bytes !== '' || !old) this.#grow(at);
    setEntry(this.tree, at, {
      kind: 'file',
      bytes: options.append ? before + bytes : bytes,
      mode: options.mode ?? (old?.kind === 'file' ? old.mode : 0o666 & ~this.#viewer.umask),
      owner: old?.owner ?? this.#viewer.user,
      at: this.tree.now(),
    });
  }

  makeDirectory(path: string, recursive: boolean): void {
    const at = this.#locate(path, 'mkdir');
    const old = at === '/' ? ROOT : entryAt(this.tree, at);
    if (old) {
      if (recursive && old.kind === 'directory') return;
      throw new FileError('EEXIST', 'mkdir', path);
    }
    if (recursive && at !== '/') this.makeDirectory(parentOf(at), true);
    this.#writableParent(at, path, 'mkdir');
    this.#grow(at);
    setEntry(this.tree, at, {
      kind: 'directory',
      mode: 0o777 & ~this.#viewer.umask,
      owner: this.#viewer.user,
      at: this.tree.now(),
    });
  }

  list(path: string): string[] {
    const { at, entry } = this.#need(path, 'scandir');
    if (entry.kind !== 'directory') throw new FileError('ENOTDIR', 'scandir', path);
    if (!this.#allowed(entry, READ)) this.#refuse('EACCES', 'scandir', path);
    return childrenOf(this.tree, at);
  }

  remove(path: string, { recursive, force }: { recursive: boolean; force: boolean }): void {
    let found: { at: string; entry: Entry };
    try {
      found = this.#need(path, 'rm', false);
    } catch (error) {
      if (force && error instanceof FileError && error.code === 'ENOENT') return;
      throw error;
    }
    this.#writableParent(found.at, path, 'rm');
    if (found.entry.kind === 'directory') {
      if (!recursive && childrenOf(this.tree, found.at).length > 0) throw new FileError('ENOTEMPTY', 'rm', path);
    }
    removeAll(this.tree, found.at);
  }

  copy(from: string, to: string, recursive: boolean): void {
    const source = this.#need(from, 'cp');
    if (source.entry.kind === 'directory') {
      if (!recursive) throw new FileError('EISDIR', 'cp', from);
      this.makeDirectory(to, true);
      for (const name of childrenOf(this.tree, source.at)) this.copy(`${from}/${name}`, `${to}/${name}`, true);
      return;
    }
    this.write(
      to,
      this.read(from),
      source.entry.kind === 'file' ? { mode: source.entry.mode & ~this.#viewer.umask } : {},
    );
  }

  move(from: string, to: string): void {
    const source = this.#need(from, 'rename', false);
    this.#writableParent(source.at, from, 'rename');
    const target = this.#locate(to, 'rename', false);
    this.#writableParent(target, to, 'rename');
    if (source.at === target) return;
    const moved: [string, Entry][] = [[target, source.entry]];
    const collect = (at: string, into: string): void => {
      for (const name of childrenOf(this.tree, at)) {
        const entry = entryAt(this.tree, `${at}/${name}`);
        if (!entry) continue;
        moved.push([`${into}/${name}`, entry]);
        if (entry.kind === 'directory') collect(`${at}/${name}`, `${into}/${name}`);
      }
    };
    if (source.entry.kind === 'directory') collect(source.at, target);
    removeAll(this.tree, source.at);
    removeAll(this.tree, target);
    for (const [path, entry] of moved) setEntry(this.tree, path, entry);
  }

  chmod(path: string, mode: number): void {
    const { at, entry } = this.#need(path, 'chmod');
    if (this.tree.dynamic.has(at) || entry.kind === 'link') return;
    if (this.#viewer.user !== 'root' && entry.owner !== this.#viewer.user) this.#refuse('EACCES', 'chmod', path);
    setEntry(this.tree, at, { ...entry, mode: mode & 0o7777 });
  }

  chown(path: string, owner: string): void {
    const { at, entry } = this.#need(path, 'chown');
    if (this.#viewer.user !== 'root') this.#refuse('EACCES', 'chown', path);
    setEntry(this.tree, at, { ...entry, owner });
  }

  link(target: string, path: string): void {
    const at = this.#locate(path, 'symlink', false);
    if (entryAt(this.tree, at)) throw new FileError('EEXIST', 'symlink', path);
    this.#writableParent(at, path, 'symlink');
    setEntry(this.tree, at, { kind: 'link', to: target, owner: this.#viewer.user, at: this.tree.now() });
  }

  real(path: string): string {
    const { at } = this.#need(path, 'realpath');
    return at;
  }

  #refuse(code: 'EACCES' | 'ENOSPC', operation: string, path: string): never {
    this.#viewer.refused = { path, reason: code === 'EACCES' ? 'Permission denied' : 'No space left on device' };
    throw new FileError(code, operation, path);
  }

  #allowed(entry: Entry, want: number): boolean {
    if (this.#viewer.user === 'root' || entry.kind === 'link') return true;
    const bits = entry.owner === this.#viewer.user ? entry.mode >> 6 : entry.mode;
    return (bits & want) === want;
  }

  #locate(path: string, operation: string, last = true): string {
    return resolve(this.tree, path, {
      last,
      visit: (_, entry) => {
        if (!this.#allowed(entry, SEARCH)) this.#refuse('EACCES', operation, path);
      },
    });
  }

  #need(path: string, operation: string, last = true): { at: string; entry: Entry } {
    const at = this.#locate(path, operation, last);
    const entry = at === '/' ? ROOT : entryAt(this.tree, at);
    if (!entry) throw new FileError('ENOENT', operation, path);
    return { at, entry };
  }

  #writableParent(at: string, path: string, operation: string): void {
    const parent = parentOf(at);
    const entry = parent === '/' ? ROOT : entryAt(this.tree, parent);
    if (!entry) throw new FileError('ENOENT', operation, path);
    if (entry.kind !== 'directory') throw new FileError('ENOTDIR', operation, path);
    if (!this.#allowed(entry, WRITE)) this.#refuse('EACCES', operation, path);
  }

  #grow(path: string): void {
    try {
      this.tree.beforeGrowth(path);
    } catch {
      this.#refuse('ENOSPC', 'write', path);
    }
  }
}

const ROOT: Entry = { kind: 'directory', mode: 0o755, owner: 'root', at: 0 };

/**
 * Adapts a view to just-bash's file system. A class, because just-bash wraps the file system for every command: it
 * copies an object literal member by member, and puts one proxy around an instance.
 */
export class ShellFiles implements IFileSystem {
  readonly #view: View;
  readonly #isProgram: (name: string) => boolean;

  /** @param isProgram whether `/bin/NAME` must seem to exist for a name (see commands/shell/installed.ts) */
  constructor(view: View, isProgram: (name: string) => boolean) {
    this.#view = view;
    this.#isProgram = isProgram;
  }

  async readFile(path: string, options?: ReadOptions): Promise<string> {
    const bytes = this.#view.read(path);
    return isByteEncoding(options) ? bytes : toText(bytes);
  }

  async readFileBytes(path: string) {
    return unsafeBytesFromLatin1(this.#view.read(path));
  }

  async readFileBuffer(path: string) {
    return new Uint8Array(Buffer.from(this.#view.read(path), 'latin1'));
  }

  async writeFile(path: string, data: string | Uint8Array, options?: ReadOptions) {
    this.#view.write(path, content(data, options));
  }

  async appendFile(path: string, data: string | Uint8Array, options?: ReadOptions) {
    this.#view.write(path, content(data, options), { append: true });
  }

  async exists(path: string) {
    return this.#isInstalled(path) || this.#view.exists(path);
  }

  async stat(path: string) {
    return this.#stat(path, true);
  }

  async lstat(path: string) {
    return this.#stat(path, false);
  }

  async mkdir(path: string, options?: { readonly recursive?: boolean }) {
    this.#view.makeDirectory(path, options?.recursive ?? false);
  }

  async readdir(path: string) {
    return this.#view.list(path);
  }

  async rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }) {
    this.#view.remove(path, { recursive: options?.recursive ?? false, force: options?.force ?? false });
  }

  async cp(from: string, to: string, options?: { readonly recursive?: boolean }) {
    this.#view.copy(from, to, options?.recursive ?? false);
  }

  async mv(from: string, to: string) {
    this.#view.move(from, to);
  }

  resolvePath(base: string, path: string) {
    return normalize(path.startsWith('/') ? path : `${base}/${path}`);
  }

  getAllPaths() {
    return allPaths(this.#view.tree);
  }

  async chmod(path: string, mode: number) {
    this.#view.chmod(path, mode);
  }

  async symlink(target: string, path: string) {
    this.#view.link(target, path);
  }

  async link(from: string, to: string) {
    this.#view.copy(from, to, false);
  }

  async readlink(path: string) {
    const entry = this.#view.stat(path, false);
    if (entry.kind !== 'link') throw new FileError('EINVAL', 'readlink', path);
    return entry.to;
  }

  async realpath(path: string) {
    return this.#view.real(path);
  }

  async utimes(path: string) {
    this.#view.stat(path);
  }

  #isInstalled(path: string): boolean {
    return path.startsWith('/bin/') && this.#isProgram(nameOf(path));
  }

  #stat(path: string, follow: boolean) {
    if (this.#isInstalled(path)) return { ...PROGRAM_STAT, mtime: new Date(0) };
    const entry = this.#view.stat(path, follow);
    return {
      isFile: entry.kind === 'file',
      isDirectory: entry.kind === 'directory',
      isSymbolicLink: entry.kind === 'link',
      mode: entry.kind === 'link' ? 0o777 : entry.mode,
      size: entry.kind === 'file' ? entry.bytes.length : entry.kind === 'link' ? entry.to.length : 4096,
      mtime: new Date(entry.at),
      // mv and cp compare the identity of two files; without hard links, the resolved path is the identity
      ...(entry.kind === 'link' ? {} : { identity: this.#view.real(path) }),
    };
  }
}

type ReadOptions = { readonly encoding?: string | null } | string;

function isByteEncoding(options: ReadOptions | undefined): boolean {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return encoding === 'binary' || encoding === 'latin1';
}

function content(data: string | Uint8Array, options: ReadOptions | undefined): string {
  if (typeof data !== 'string') return Buffer.from(data).toString('latin1');
  return isByteEncoding(options) ? data : toBytes(data);
}

const PROGRAM_STAT = { isFile: true, isDirectory: false, isSymbolicLink: false, mode: 0o755, size: 0 };
