import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createCsarProblem } from './csar-problem.ts';
import { checkEntryName } from './entry-name.ts';

/** A file that goes into the CSAR. */
export interface PackageFile {
  /** Path in the package, with "/". */
  readonly path: string;
  /** Path on this machine. */
  readonly realPath: string;
  readonly executable: boolean;
  /** Size in bytes. */
  readonly size: number;
}

/** Files that explain the source to people and are not part of the package. */
const LEFT_OUT: ReadonlySet<string> = new Set(['README.md']);

/**
 * Lists the files of a package source, sorted by the bytes of their names, so that the order is equal on every machine.
 * It leaves out README.md at the top, names that start with a dot (`.git`, `.DS_Store`), empty folders, and `except`.
 * @param directory the source
 * @param except the archive that is being written, which may lie in the directory
 * @throws VnflowError CSAR_INVALID for symbolic links, devices and names that a package must not have
 */
export async function packageFiles(directory: string, except: string): Promise<readonly PackageFile[]> {
  const root = await realpath(directory).catch((error: Error) => {
    throw createCsarProblem(`The package source ${directory} cannot be read: ${error.message}.`, error);
  });
  const leftOvers = new Set([resolve(except), `${resolve(except)}.part`]);
  const files: PackageFile[] = [];
  await collect(root, '', files);
  return files
    .filter(({ path, realPath }) => !LEFT_OUT.has(path) && !leftOvers.has(realPath))
    .toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

async function collect(folder: string, prefix: string, files: PackageFile[]): Promise<void> {
  const listed = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw createCsarProblem(`The folder ${folder} cannot be read: ${error.message}.`, error);
  });
  for (const item of listed) {
    if (item.name.startsWith('.')) continue;
    const path = `${prefix}${item.name}`;
    const realPath = join(folder, item.name);
    checkEntryName(path);
    if (item.isDirectory()) await collect(realPath, `${path}/`, files);
    else files.push(await packageFile(item, path, realPath));
  }
}

async function packageFile(item: Dirent, path: string, realPath: string): Promise<PackageFile> {
  if (!item.isFile()) {
    throw createCsarProblem(`${realPath} is a symbolic link or a device; put the file itself into the package.`);
  }
  const { mode, size } = await stat(realPath);
  return { path, realPath, executable: (mode & 0o100) !== 0, size };
}
