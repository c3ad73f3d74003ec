import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** Workflow bundles of earlier builds, each in a file with the name of its build. */
const FOLDER = fileURLToPath(new URL('../releases', import.meta.url));
const ENDING = '.cjs.br';
const SOURCE_MAP = '//# sourceMappingURL=data:';
/** A worker wants a source map. The real one is two thirds of a bundle. */
const EMPTY_MAP = Buffer.from(
  JSON.stringify({ version: 3, file: 'workflows.cjs', sources: [], names: [], mappings: '' }),
).toString('base64');

export interface EarlierBuild {
  readonly name: string;
  /** The code of its workflows, as a worker takes it. */
  readonly bundle: { readonly code: string };
}

/** Reads the workflows of every earlier build that operations are upgraded from. */
export function readEarlierBuilds(): EarlierBuild[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .sort()
    .map((file) => ({
      name: file.slice(0, -ENDING.length),
      bundle: { code: brotliDecompressSync(readFileSync(path.join(FOLDER, file))).toString() },
    }));
}

/** Keeps the workflows of a build. @param code a workflow bundle @returns bytes of the file */
export function keepBuild(name: string, code: string): number {
  const at = code.lastIndexOf(SOURCE_MAP);
  if (at < 0) throw new Error('this is no bundle: it has no source map at its end');
  const packed = brotliCompressSync(`${code.slice(0, at)}${SOURCE_MAP}application/json;base64,${EMPTY_MAP}`, {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, `${name}${ENDING}`), packed);
  return packed.length;
}
