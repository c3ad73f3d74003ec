import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * What a store on this machine's disk survives with everything that was answered: `process` the death of every process,
 * `power` also the death of the machine (each commit waits until the disk has it).
 */
export const DURABILITIES = ['process', 'power'] as const;
export type Durability = (typeof DURABILITIES)[number];
export const DEFAULT_DURABILITY: Durability = 'power';

/** Waits until the disk has a file, or the names in a directory. @throws Error when the disk refuses */
export function flushToDisk(name: string): void {
  const file = openSync(name, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A directory with all that lies in it, and the names of the two above it: they may be new, too. */
export function flushTreeToDisk(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) flushToDisk(path.join(entry.parentPath, entry.name));
  }
  for (const above of [directory, path.dirname(directory), path.dirname(path.dirname(directory))]) flushToDisk(above);
}
