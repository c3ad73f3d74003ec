import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory in which a program that set-up has fetched has the name under which people type it.
 * @param data the data directory
 * @param binary the program; its file name has a version
 * @returns the directory, for PATH
 */
export function linkProgram(data: string, name: string, binary: string): string {
  const directory = path.join(data, 'bin');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const link = path.join(directory, name);
  rmSync(link, { force: true });
  symlinkSync(path.resolve(binary), link);
  return directory;
}
