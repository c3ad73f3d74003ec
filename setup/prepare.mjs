import path from 'node:path';
import { areDependenciesPresent, installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { fetchNode, presentNode } from './node.mjs';
import { CACHE, cacheDirectory, PROJECT } from './paths.mjs';
import { fetchTemporal } from './temporal/fetch.mjs';
import { findTemporal } from './temporal/find.mjs';

/**
 * Provides the missing prerequisites of vnflow, and leaves existing ones alone.
 * @param {{ temporal: boolean, env?: NodeJS.ProcessEnv }} needs `temporal`: does the command need a Temporal server?
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>} a Node that is new enough, and the environment to run
 * vnflow with
 * @throws {Error} that says what is missing and how to provide it
 */
export async function prepare({ temporal, env = process.env }) {
  const node = presentNode() ?? (await alone(async () => presentNode() ?? (await fetchNode(env))));
  if (!areDependenciesPresent(PROJECT)) {
    await alone(async () => {
      if (!areDependenciesPresent(PROJECT)) await installDependencies(PROJECT, node, env);
    });
  }
  const withNode = {
    // Node.js keeps compiled code there, and TypeScript without its types: a process starts in about half the time
    NODE_COMPILE_CACHE: path.join(CACHE, 'compile-cache'),
    ...env,
    PATH: [path.dirname(node), env.PATH ?? ''].join(path.delimiter),
  };
  return { node, env: temporal ? await withTemporal(withNode) : withNode };
}

/** @param {NodeJS.ProcessEnv} env */
async function withTemporal(env) {
  const cache = path.join(CACHE, 'temporal');
  const present = await findTemporal({ env, cache });
  const found =
    present.found ??
    (await alone(async () => {
      const again = await findTemporal({ env, cache });
      return again.found ?? { binary: await fetchTemporal({ env, cache, reasons: again.reasons }) };
    }));
  if ('address' in found) return env;
  const { TEMPORAL_ADDRESS: _own, ...rest } = env;
  return { ...rest, VNFLOW_TEMPORAL_BINARY: found.binary };
}

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
function alone(work) {
  return withLock(path.join(cacheDirectory('setup'), 'lock'), work);
}
