/**
 * The file system of one machine: a shared, immutable base image below the changes of the machine, which are plain
 * JSON. Content is kept as bytes in a string (one character per byte), so that text and binary have one representation.
 */
export type Entry =
  | {
      readonly kind: 'file';
      readonly bytes: string;
      readonly mode: number;
      readonly owner: string;
      readonly at: number;
    }
  | { readonly kind: 'directory'; readonly mode: number; readonly owner: string; readonly at: number }
  | { readonly kind: 'link'; readonly to: string; readonly owner: string; readonly at: number };

/** Changes by path; `null` when the machine removed a file of the base image. */
export type Changes = Record<string, Entry | null>;

export interface BaseImage {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Names of the children of each directory. */
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
}

export type FileErrorCode =
  | 'ENOENT'
  | 'EACCES'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'ENOTEMPTY'
  | 'ENOSPC'
  | 'ELOOP'
  | 'EINVAL'
  | 'EROFS';

const REASONS: Record<FileErrorCode, string> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
  ENOSPC: 'no space left on device',
  ELOOP: 'too many symbolic links encountered',
  EINVAL: 'invalid argument',
  EROFS: 'read-only file system',
};

export class FileError extends Error {
  readonly code: FileErrorCode;
  readonly path: string;
  constructor(code: FileErrorCode, operation: string, path: string) {
    super(`${code}: ${REASONS[code]}, ${operation} '${path}'`);
    this.name = 'FileError';
    this.code = code;
    this.path = path;
  }
}

/** Normalises an absolute path: no `.`, `..`, doubled or trailing slashes. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

export function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A file whose content is made when it is read (`/proc`, `/dev`). When `write` is undefined, writing is refused. */
export interface DynamicFile {
  readonly read: () => string | undefined;
  readonly write?: (bytes: string) => void;
}

export interface Tree {
  readonly base: BaseImage;
  readonly changes: Changes;
  readonly dynamic: ReadonlyMap<string, DynamicFile>;
  /** Called before a file grows. @throws FileError ENOSPC when the disk is full */
  readonly beforeGrowth: (path: string) => void;
  readonly changed: () => void;
  readonly now: () => number;
}

export function entryAt(tree: Tree, path: string): Entry | undefined {
  const own = tree.changes[path];
  if (own !== undefined) return own ?? undefined;
  const dynamic = tree.dynamic.get(path);
  if (dynamic) {
    const bytes = dynamic.read();
    if (bytes === undefined) return undefined;
    return { kind: 'file', bytes, mode: path.startsWith('/dev/') ? 0o666 : 0o644, owner: 'root', at: 0 };
  }
  return tree.base.entries.get(path);
}

/**
 * Resolves links in every part of a path; with `last: false`, not in the last part. Visits each directory on the way.
 */
export function resolve(
  tree: Tree,
  path: string,
  options: { readonly last: boolean; readonly visit?: (directory: string, entry: Entry) => void },
): string {
  let rest = normalize(path).split('/').filter(Boolean);
  let at = '/';
  let hops = 0;
  while (rest.length > 0) {
    const [name, ...after] = rest;
    const next = at === '/' ? `/${name}` : `${at}/${name}`;
    const entry = entryAt(tree, next);
    if (entry?.kind === 'link' && (after.length > 0 || options.last)) {
      hops += 1;
      if (hops > 40) throw new FileError('ELOOP', 'open', path);
      const target = entry.to.startsWith('/') ? entry.to : `${at}/${entry.to}`;
      rest = [...normalize(target).split('/').filter(Boolean), ...after];
      at = '/';
      continue;
    }
    if (after.length > 0) {
      if (entry === undefined) return [next, ...after].join('/');
      if (entry.kind === 'file') throw new FileError('ENOTDIR', 'open', path);
      options.visit?.(next, entry);
    }
    at = next;
    rest = after;
  }
  return at;
}

export function childrenOf(tree: Tree, directory: string): string[] {
  const names = new Set<string>();
  const prefix = directory === '/' ? '/' : `${directory}/`;
  for (const name of tree.base.children.get(directory) ?? []) {
    if (tree.changes[prefix + name] !== null) names.add(name);
  }
  for (const path in tree.changes) {
    if (!path.startsWith(prefix) || tree.changes[path] === null) continue;
    const name = path.slice(prefix.length);
    if (name !== '' && !name.includes('/')) names.add(name);
  }
  for (const path of tree.dynamic.keys()) {
    if (parentOf(path) === directory && entryAt(tree, path)) names.add(nameOf(path));
  }
  return [...names].sort();
}

export function setEntry(tree: Tree, path: string, entry: Entry | null): void {
  if (entry === null && !tree.base.entries.has(path)) delete tree.changes[path];
  else tree.changes[path] = entry;
  tree.changed();
}

/** Removes `path` and everything below it. */
export function removeAll(tree: Tree, path: string): void {
  const entry = entryAt(tree, path);
  if (entry?.kind === 'directory') {
    for (const name of childrenOf(tree, path)) removeAll(tree, path === '/' ? `/${name}` : `${path}/${name}`);
  }
  setEntry(tree, path, null);
}

/** Returns all paths, including those of the base image. */
export function allPaths(tree: Tree): string[] {
  const paths = new Set<string>();
  for (const path of tree.base.entries.keys()) if (tree.changes[path] !== null) paths.add(path);
  for (const path in tree.changes) if (tree.changes[path] !== null) paths.add(path);
  return [...paths];
}
