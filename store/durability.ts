import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * What a store on the disk of this machine survives without losing a committed row: `process` the death of every
 * process, `power` also a power cut (each commit waits until the disk has it).
 */
export const DURABILITIES = ['process', 'power'] as const;
export type Durability = (typeof DURABILITIES)[number];
export const DEFAULT_DURABILITY: Durability = 'power';

/** Waits until the disk has the content of a file, or the names in a directory. @throws Error when the disk refuses */
export function flushToDisk(name: string): void {
  const file = openSync(name, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a directory with everything in it, and the names in the two directories above it, which may be new, too. */
export function flushTreeToDisk(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) flushToDisk(path.join(entry.parentPath, entry.name));
  }
  for (const above of [directory, path.dirname(directory), path.dirname(path.dirname(directory))]) flushToDisk(above);
}
