import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { onPath } from '../paths.mjs';
import { inspectBinary } from './binary.mjs';
import { GO_VERSION, VERSION } from './pins.mjs';

/**
 * @typedef {{ address: string } | { binary: string }} Temporal a server that runs elsewhere, or the program to start
 * one
 * @typedef {{ found: Temporal, how: string } | { reason: string }} Look
 */

const ANSWER_MS = 3_000;

/**
 * Looks for a Temporal server in the places that need no network: TEMPORAL_ADDRESS, PATH, the cache.
 * @param {{ env: NodeJS.ProcessEnv, cache: string }} options `cache`: directory of binaries that set-up fetched
 * @returns {Promise<{ found: Temporal, how: string } | { found: undefined, reasons: string[] }>}
 * @throws {Error} when TEMPORAL_ADDRESS names a server that does not answer; another server would not be what the user
 * wants
 */
export async function findTemporal({ env, cache }) {
  const reasons = [];
  for (const look of [() => fromAddress(env), () => fromPath(env), () => fromCache(cache)]) {
    const seen = await look();
    if ('found' in seen) return seen;
    reasons.push(seen.reason);
  }
  return { found: undefined, reasons };
}

/** @param {string} cache @returns {string[]} where binaries are kept, the newest first */
export function cachedBinaries(cache) {
  return [VERSION, GO_VERSION].map((version) => path.join(cache, `temporal-${version}`));
}

/** @param {NodeJS.ProcessEnv} env @returns {Promise<Look>} */
async function fromAddress(env) {
  const address = env.TEMPORAL_ADDRESS;
  if (!address) return { reason: 'TEMPORAL_ADDRESS is not set' };
  if (address === env.VNFLOW_OWN_TEMPORAL) {
    return {
      reason: `TEMPORAL_ADDRESS=${address} comes from \`vnflow env\`: it is the server that vnflow starts itself`,
    };
  }
  if (!(await answers(address))) {
    throw new Error(
      `TEMPORAL_ADDRESS=${address} is set, but nothing answers there. Start that server, or unset TEMPORAL_ADDRESS to have vnflow start one.`,
    );
  }
  return { found: { address }, how: `TEMPORAL_ADDRESS=${address}` };
}

/** @param {NodeJS.ProcessEnv} env @returns {Promise<Look>} */
async function fromPath(env) {
  const binary = onPath('temporal', env);
  if (binary === undefined) return { reason: 'there is no `temporal` on PATH' };
  const seen = await inspectBinary(binary);
  return seen.ok ? { found: { binary }, how: `${binary} (${seen.version})` } : { reason: seen.reason };
}

/** @param {string} cache @returns {Promise<Look>} */
async function fromCache(cache) {
  const reasons = [];
  for (const binary of cachedBinaries(cache).filter((file) => existsSync(file))) {
    const seen = await inspectBinary(binary);
    if (seen.ok) return { found: { binary }, how: `${binary} (${seen.version})` };
    reasons.push(seen.reason);
  }
  return { reason: reasons.join('; ') || `the cache ${cache} is empty` };
}

/** @param {string} address host:port @returns {Promise<boolean>} */
function answers(address) {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = createConnection({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || 7233,
      timeout: ANSWER_MS,
    });
    const end = (/** @type {boolean} */ result) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
    socket.on('timeout', () => end(false));
  });
}
