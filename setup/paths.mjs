import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that set-up fetches lies in `.vnflow` of the project; nothing global is touched. */
export const PROJECT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = path.join(PROJECT, '.vnflow');

/** @param {string} name inside `.vnflow` @returns {string} the directory, made if it was missing */
export function cacheDirectory(name) {
  const directory = path.join(CACHE, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

/**
 * Finds a command on PATH.
 * @param {string} name @param {NodeJS.ProcessEnv} env @returns {string | undefined}
 */
export function onPath(name, env) {
  const directories = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return directories.map((directory) => path.join(directory, name)).find((file) => existsSync(file));
}
