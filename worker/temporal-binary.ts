import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.vnflow/temporal', import.meta.url));
/** The names under which set-up keeps what it fetched: see setup/temporal/pins.mjs. */
const CACHED = ['temporal-1.9.1', 'temporal-1.5.1'];

/**
 * The `temporal` program that set-up found or fetched.
 * @param environment `VNFLOW_TEMPORAL_BINARY` is what set-up says; without it PATH and the cache are looked through
 * @throws Error saying how to get one
 */
export function temporalBinary(environment: NodeJS.ProcessEnv = process.env): string {
  const told = environment['VNFLOW_TEMPORAL_BINARY'];
  const directories = (environment['PATH'] ?? '').split(path.delimiter).filter((directory) => directory !== '');
  const places = told
    ? [told]
    : [
        ...directories.map((directory) => path.join(directory, 'temporal')),
        ...CACHED.map((name) => path.join(CACHE, name)),
      ];
  const binary = places.find(isExecutable);
  if (binary === undefined) {
    throw new Error(
      `There is no Temporal server${told ? ` at VNFLOW_TEMPORAL_BINARY=${told}` : ''}. \`npx vnflow up\` gets one; or put \`temporal\` on PATH, or set TEMPORAL_ADDRESS.`,
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
