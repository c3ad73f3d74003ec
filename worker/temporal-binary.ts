import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.vnflow/temporal', import.meta.url));
/** Names of the programs that set-up has fetched: see setup/temporal/pins.mjs. */
const CACHED = ['temporal-1.9.1', 'temporal-1.5.1'];

/**
 * Finds the `temporal` program that set-up found or fetched.
 * @param environment set-up names the program in `VNFLOW_TEMPORAL_BINARY`; without it, PATH and the cache are searched
 * @throws Error that says how to get the program
 */
export function temporalBinary(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment['VNFLOW_TEMPORAL_BINARY'];
  const directories = (environment['PATH'] ?? '').split(path.delimiter).filter((directory) => directory !== '');
  const places = named
    ? [named]
    : [
        ...directories.map((directory) => path.join(directory, 'temporal')),
        ...CACHED.map((name) => path.join(CACHE, name)),
      ];
  const binary = places.find(isExecutable);
  if (binary === undefined) {
    throw new Error(
      `There is no Temporal server${named ? ` at VNFLOW_TEMPORAL_BINARY=${named}` : ''}. \`npx vnflow up\` gets one; or put \`temporal\` on PATH, or set TEMPORAL_ADDRESS.`,
    );
  }
  return binary;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
